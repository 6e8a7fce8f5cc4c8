/** What the tests of `@oxbow/react` share: workflows, a database with workers, a server, and tokens for runs. */
import { RunTokenKeys, type RunPermission } from "@oxbow/sdk/internal/server";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";
import { failing, onboardUser, ticking } from "./workflows.ts";

export const KEY = "k".repeat(32);

export interface World {
  readonly bench: WorkflowBench;
  readonly server: TestServer;
}

/** @param allowedOrigins of pages that a browser shows */
export async function setupWorld(allowedOrigins: readonly string[] = []): Promise<World> {
  const bench = await setupWorkflows();
  bench.serve([ticking, onboardUser, failing]);
  const server = await startTestServer(bench.database, { runTokenKeys: [KEY], allowedOrigins });
  return { bench, server };
}

export const sign = (
  runId: string,
  allow: readonly RunPermission[] = ["read", "stream", "signal:approved"],
  ttlMs = 600_000,
): Promise<string> => new RunTokenKeys([KEY]).sign({ runId, ttlMs, allow, name: undefined });
