/** A database, a client, and worker processes that come and go. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { type Environment, prepare } from "./environment.ts";

export interface GrowthEnvironment extends Environment {
  readonly client: WorkflowClient;
  /** Starts a worker process, by another url if there is one. */
  readonly startWorker: (slots?: number, through?: string) => Promise<GrowthWorker>;
}

export interface GrowthWorker {
  /** The size of its heap after a collection. */
  readonly heapMb: () => Promise<number>;
  readonly end: () => Promise<void>;
}

export async function prepareGrowth(): Promise<GrowthEnvironment> {
  const environment = await prepare();
  const client = createWorkflowClient({ url: environment.url });
  return {
    ...environment,
    client,
    startWorker: (slots = 200, through = environment.url) => startWorker(through, slots),
    async [Symbol.asyncDispose]() {
      await client.close();
      await environment[Symbol.asyncDispose]();
    },
  };
}

async function startWorker(url: string, slots: number): Promise<GrowthWorker> {
  const script = fileURLToPath(new URL("growth-worker.ts", import.meta.url));
  const flags = ["--expose-gc", "--import", "tsx"];
  const child = spawn(process.execPath, [...flags, script, url, String(slots)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    heapMb: async () => {
      child.kill("SIGUSR2");
      const [text] = (await once(child.stdout, "data")) as [Buffer];
      return Number(text.toString());
    },
    end: async () => {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
