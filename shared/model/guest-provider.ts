/** Provider of sessions that another program drives: an MCP client. Nothing can be written to them here. */
export const GUEST_PROVIDER = 'mcp';
