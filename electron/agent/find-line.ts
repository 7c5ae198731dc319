import vm from 'node:vm';
import { MATCH_LIMIT_MS } from '../../shared/limits.ts';
import type { FindLine } from '../supervisor/ports.ts';

/** Of a longer line only the beginning is tried: backtracking grows with it. */
const MAX_LINE_CHARACTERS = 4_096;

const context = vm.createContext(Object.create(null));
const script = new vm.Script(`
  'use strict';
  (() => { const test = new RegExp(pattern, 'u'); return lines.findIndex((line) => test.test(line)); })()
`);

/**
 * The first line that a pattern matches. The pattern is an agent's: it runs under a time limit, because one that
 * backtracks without end would stop the whole app. The context is no fence against code, and no code is in it.
 */
export const findLine: FindLine = (pattern, lines) => {
  const tried = lines.map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  Object.assign(context, { pattern, lines: tried });
  try {
    const index = script.runInContext(context, { timeout: MATCH_LIMIT_MS }) as number;
    const line = tried[index];
    return line === undefined ? 'none' : { line };
  } catch (error) {
    // Not an Error of this context.
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too_slow';
    throw error;
  }
};
