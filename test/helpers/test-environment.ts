/** Environments of the testing kit, on the cluster of the test run; stopped at the end of the test, or of the file. */
import type { Workflow } from "@oxbow/sdk/runtime";
import {
  createTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from "@oxbow/sdk/testing";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { atFileEnd } from "./file-end.ts";

export type CheckedEnvironment = TestEnvironment & {
  /** What `check_invariants()` finds. */
  readonly violations: () => Promise<unknown[]>;
};

export async function setupEnvironment(
  workflows: readonly Workflow[],
  options: Omit<TestEnvironmentOptions, "workflows" | "url"> = {},
): Promise<CheckedEnvironment> {
  const env = await createTestEnvironment({
    // Oxbow is installed in it, which takes longer than to copy it.
    template: inject("templateDatabase"),
    ...options,
    url: inject("clusterUrl"),
    workflows,
  });
  try {
    onTestFinished(() => env.stop());
  } catch {
    // No test is running. `currentTestName` doesn't show that: in a shared process it may come from the file before.
    atFileEnd(() => env.stop());
  }
  const violations = async (): Promise<unknown[]> => {
    const found = await onDatabase(env.url, "select * from queue.check_invariants()");
    return found.rows as unknown[];
  };
  return Object.assign(env, { violations });
}

export async function onDatabase(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

export const inDays = (from: Date, to: Date | null): number =>
  ((to?.getTime() ?? Number.NaN) - from.getTime()) / 86_400_000;
