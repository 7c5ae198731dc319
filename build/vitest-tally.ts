import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { type Tally, writeTally } from './tally.ts';

/** Counts a Vitest run for build/test.mjs. Vitest's own JSON leaves out why a test was skipped. */
export class VitestTally implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tally: Tally = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      if (module.errors().length > 0) tally.failed.push(`${module.relativeModuleId} could not be run`);
      for (const suite of module.children.allSuites())
        if (suite.errors().length > 0) tally.failed.push(`${module.relativeModuleId} > ${suite.fullName}`);
      for (const test of module.children.allTests()) {
        const name = `${module.relativeModuleId} > ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed') tally.passed++;
        else if (result.state === 'skipped')
          tally.skipped.push({ name, reason: result.note ?? 'no reason given' });
        else tally.failed.push(name); // failed, or still pending when the run was broken off
      }
    }
    for (const error of unhandledErrors) tally.failed.push(`outside of a test: ${error.message}`);
    writeTally(this.#file, tally);
  }
}
