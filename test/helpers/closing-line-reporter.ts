/**
 * Ends a run with `N passed, N failed`, with nothing else on its line, after everything else.
 *
 * Promises: the line is the last that is printed; it reports a failure if and only if the exit code does; a run in
 * which nothing was tested has failed. A file that can't be loaded, a hook that throws and an unhandled error
 * count as one failure each.
 */
import { writeSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export default class ClosingLineReporter implements Reporter {
  onInit(): void {
    // A run that is cut short must not look like one that passed.
    closeWith({ passed: 0, failed: 1 });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    closeWith(count(modules, unhandled));
  }
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

function count(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Tally {
  let passed = 0;
  let failed = unhandled.length;
  for (const module of modules) {
    failed += hookFailures(module);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      if (state === "failed" || state === "pending") failed += 1;
    }
  }
  return { passed, failed };
}

/** A test's own errors show in its state; these are of loading, `beforeAll` and `afterAll`. */
function hookFailures(module: TestModule): number {
  const suites = [module, ...module.children.allSuites()];
  return suites.filter((suite) => suite.errors().length > 0).length;
}

let tally: Tally | undefined;

function closeWith(next: Tally): void {
  if (tally === undefined) process.once("exit", printClosingLine);
  tally = next;
}

function printClosingLine(exitCode: number): void {
  const { passed, failed } = tally ?? { passed: 0, failed: 1 };
  const hasFailed = exitCode !== 0 || failed > 0 || passed === 0;
  if (hasFailed) process.exitCode = 1;
  writeSync(1, `${passed} passed, ${hasFailed ? Math.max(failed, 1) : 0} failed\n`);
}
