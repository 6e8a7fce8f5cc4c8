import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { clock } from "../measure/clock.ts";
import { connectTo } from "../measure/connect.ts";
import type { Body, BodyInput, System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";

const QUEUE = "bench";
const APPLICATION = "bench";
const POOL = 20;
const POLL_MS = 10;

const now = (): Promise<number> => Promise.resolve(clock());
const nothing = (): Promise<number> => Promise.resolve(1);

const bodies: Record<Body, (input: BodyInput) => Promise<unknown>> = {
  "one-step": () => DBOS.runStep(nothing, { name: "only" }),
  "in-sequence": async ({ steps = 0 }) => {
    const began = await DBOS.runStep(now, { name: "began" });
    for (let n = 0; n < steps; n += 1) await DBOS.runStep(nothing, { name: `s${n}` });
    return clock() - began;
  },
  "in-parallel": async ({ steps = 0 }) => {
    const began = await DBOS.runStep(now, { name: "began" });
    const all = Array.from({ length: steps }, (_, n) => DBOS.runStep(nothing, { name: `s${n}` }));
    await Promise.all(all);
    return clock() - began;
  },
  sleeper: async ({ ms = 0 }) => {
    const before = await DBOS.runStep(() => Promise.resolve(Date.now()), { name: "before" });
    await DBOS.sleep(ms);
    return Date.now() - before - ms;
  },
  waiter: () => DBOS.recv("go", 600),
};

/** Serves all bodies in this process. */
async function launch(url: string): Promise<typeof bodies> {
  const registered = Object.entries(bodies).map(([name, body]) => [
    name,
    DBOS.registerWorkflow(body, { name }),
  ]);
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePoolSize: POOL,
    logLevel: "error",
  });
  await DBOS.launch();
  return Object.fromEntries(registered) as typeof bodies;
}

export const system: System = {
  install: async (url) => {
    await DBOS.migrate(url);
    return url;
  },
  workflows: {
    connect: async (url) => {
      const client = await DBOSClient.create({
        systemDatabaseUrl: url,
        systemDatabasePoolSize: POOL,
        applicationName: APPLICATION,
      });
      await client.registerQueue(QUEUE, { workerConcurrency: 100, minPollingIntervalMs: POLL_MS });
      const database = await connectTo(url);
      return {
        start: async (body, input) => {
          const handle = await client.enqueue({ workflowName: body, queueName: QUEUE }, input);
          return {
            result: () => handle.getResult({ pollingIntervalMs: POLL_MS }),
            signal: () => client.send(handle.workflowID, "go", "go"),
          };
        },
        allEnded: () =>
          waitUntilNone(
            database,
            "select from dbos.workflow_status where status in ('ENQUEUED', 'PENDING') limit 1",
          ),
        close: async () => {
          await client.destroy();
          await database.end();
        },
      };
    },
    serveHere: async (url) => {
      const workflows = await launch(url);
      return {
        start: async (body, input) => {
          const handle = await DBOS.startWorkflow(workflows[body])(input);
          return {
            result: () => handle.getResult(),
            signal: () => DBOS.send(handle.workflowID, "go", "go"),
          };
        },
        allEnded: () => Promise.reject(new Error("Not measured in this process.")),
        close: () => DBOS.shutdown(),
      };
    },
    serve: async (url) => {
      await launch(url);
      await DBOS.registerQueue(QUEUE, { workerConcurrency: 100, minPollingIntervalMs: POLL_MS });
      return () => DBOS.shutdown();
    },
  },
};
