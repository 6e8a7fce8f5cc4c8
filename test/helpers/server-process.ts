/** A server as a process, for tests that kill it and start it again on its port. */
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export interface ServerProcessOptions {
  readonly database: string;
  readonly port: number;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when the server serves. */
export async function startServerProcess({
  database,
  port,
  env = {},
}: ServerProcessOptions): Promise<WorkerProcess> {
  const started = startWorkerProcess(new URL("../../server/src/main.ts", import.meta.url), {
    env: {
      DATABASE_URL: database,
      PORT: String(port),
      HOST: "127.0.0.1",
      OXBOW_TOKENS: "",
      ...env,
    },
  });
  await started.line(/^Oxbow serves/);
  return started;
}
