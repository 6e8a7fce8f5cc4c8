/** Creates the database of a test environment, with its clock, and removes it again. */
import { randomBytes } from "node:crypto";
import { parseDuration } from "../core/duration.ts";
import { withClient } from "../install/connect.ts";
import { releaseIncarnation } from "../install/incarnation.ts";
import { findInstallation, releaseVersion } from "../install/installation.ts";
import { migrate } from "../install/migrate.ts";
import { versionsOf } from "../worker/served-workflows.ts";
import { createDatabase, dropDatabase } from "./embedded/databases.ts";
import { checkOptions, type TestEnvironmentOptions } from "./environment-options.ts";
import { TestEnvironment } from "./environment.ts";
import { type BorrowedCluster, borrowCluster } from "./shared-cluster.ts";
import { STAND_IN } from "./stage.ts";
import { TestClock } from "./test-clock.ts";

/**
 * Makes a database with Oxbow and a worker for some workflows, and a clock that skips.
 *
 * @throws InvalidArgument for options that make no sense, and what the database throws.
 * @example
 * await using env = await createTestEnvironment({ workflows: [onboardUser] });
 * env.replace(onboardUser, { "create-user": { id: 42 }, "send-welcome": failTimes(2) });
 * const result = await env.run(onboardUser, { email: "ada@example.com" });
 */
export async function createTestEnvironment(
  options: TestEnvironmentOptions,
): Promise<TestEnvironment> {
  checkOptions(options);
  const { workflows = [], definitions, template, patience = "30s" } = options;
  const patienceMs = parseDuration(patience, "the patience of a test environment");
  const server = await findServer(options.url);
  const name = `oxbow_test_${randomBytes(6).toString("hex")}`;
  const url = urlOf(server.url, name);
  let clock: TestClock | undefined;
  let environment: TestEnvironment | undefined;
  const remove = async (): Promise<void> => {
    try {
      await clock?.close();
      await dropDatabase(server.url, name);
    } finally {
      await server.giveBack();
    }
  };
  try {
    await createDatabase(server.url, name, template === undefined ? {} : { template });
    if (template === undefined || !(await hasThisRelease(url))) await migrate(url);
    // A template in which runs were received is a copy like any other, but one that is meant to run.
    if (template !== undefined) await releaseIncarnation(url, { as: "live", timers: "fire" });
    const pools = (definitions?.pools ?? []).map((pool) => [`@${pool}`, [1]] as const);
    const versions = new Map([...versionsOf(workflows), ...pools, [STAND_IN, [1]]]);
    clock = await TestClock.install(url, { versions, patienceMs });
    environment = new TestEnvironment({ options, url, clock, patienceMs, remove });
    // The worker registers it too, but perhaps not before the first start.
    for (const workflow of workflows) {
      if (workflow.flowControl !== undefined) await environment.client.setFlowControl(workflow);
    }
    return environment;
  } catch (error) {
    // The first error is the relevant one.
    await (environment?.stop() ?? remove()).catch(() => {});
    throw error;
  }
}

/** The script installs all or nothing, and takes as long where nothing has changed. */
const hasThisRelease = (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const found = await findInstallation(client);
    return found?.installedBy === "script" && found.version === (await releaseVersion());
  });

const findServer = async (url: string | undefined): Promise<BorrowedCluster> =>
  url === undefined ? borrowCluster() : { url, giveBack: async () => {} };

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
