/** Provider of sessions that another program drives: an MCP client, or a terminal in which `switchyard run` was typed. Nothing can be written to them here. */
export const GUEST_PROVIDER = 'mcp';
