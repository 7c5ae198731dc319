import { expect, it } from 'vitest';
import { systemPrompt } from '../../../electron/agent/prompts/system-prompt.ts';
import { TOOL_DESCRIPTIONS } from '../../../electron/agent/prompts/tool-descriptions.ts';
import { TOOLS } from '../../../electron/agent/tools/index.ts';

it('tells workspace and platform, and is the same each time', () => {
  const facts = { workspace: '/home/someone/project', platform: 'darwin' };
  const prompt = systemPrompt(facts);
  expect(prompt).toContain('Workspace: /home/someone/project\nPlatform: macOS\n');
  expect(systemPrompt(facts)).toBe(prompt);
});

it('speaks only of tools that there are, and every tool has its description', () => {
  const prompt = systemPrompt({ workspace: '/w', platform: 'linux' });
  for (const [name, tool] of TOOLS) {
    expect(tool.description).toBe(TOOL_DESCRIPTIONS[name as keyof typeof TOOL_DESCRIPTIONS]);
    expect(tool.description.length).toBeGreaterThan(80);
  }
  const named = new Set(
    prompt.match(/\b(?:exec_command|write_stdin|[a-z]+_(?:command|commands|output|stdin))\b/g),
  );
  for (const name of named) expect([...TOOLS.keys()]).toContain(name);
});

it('tells what a model has to know to work here', () => {
  const prompt = systemPrompt({ workspace: '/w', platform: 'linux' });
  for (const word of [
    'session_id',
    'exit_code null',
    'pkill',
    'tty',
    'never',
    'Wait, do not poll',
    '<switchyard>',
    'awaiting_approval_denied',
  ])
    expect(prompt).toContain(word);
});
