import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';
import { type Tally, writeTally } from './tally.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Counts a Playwright run for build/test.mjs. */
export default class PlaywrightTally implements Reporter {
  readonly #file: string;
  readonly #errors: string[] = [];
  #suite: Suite | undefined;

  constructor(options: { file: string }) {
    this.#file = options.file;
  }

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite;
  }

  onError(error: TestError): void {
    this.#errors.push(
      `outside of a test: ${stripVTControlCharacters(error.message ?? 'unknown error').split('\n')[0]}`,
    );
  }

  onEnd(): void {
    const tally: Tally = { passed: 0, failed: [...this.#errors], skipped: [] };
    for (const test of this.#suite?.allTests() ?? []) {
      const name = this.#nameOf(test);
      const outcome = test.outcome();
      if (outcome === 'expected') tally.passed++;
      else if (outcome === 'skipped') tally.skipped.push({ name, reason: whySkipped(test) });
      else tally.failed.push(name); // a test that passed at the second try has failed too
    }
    writeTally(this.#file, tally);
  }

  printsToStdio(): boolean {
    return false;
  }

  #nameOf(test: TestCase): string {
    const titles = test.titlePath().slice(3);
    return [path.relative(ROOT, test.location.file), ...titles].join(' > ');
  }
}

function whySkipped(test: TestCase): string {
  if (test.results.length === 0) return 'not reached';
  const mark = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  return mark?.description ?? 'no reason given';
}
