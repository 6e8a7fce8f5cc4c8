import { OpenWorkflow } from "openworkflow";
import { BackendPostgres } from "openworkflow/postgres";
import { clock } from "../measure/clock.ts";
import { connectTo } from "../measure/connect.ts";
import type { BodyInput, System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";

const CONCURRENCY = 100;

/** postgres.js takes options from the url, and OpenWorkflow has no options for its pool. */
const withPool = (url: string): string => `${url}?max=20`;

function define(backend: BackendPostgres) {
  const app = new OpenWorkflow({ backend });
  const bodies = {
    "one-step": app.defineWorkflow<BodyInput, unknown>({ name: "one-step" }, ({ step }) =>
      step.run({ name: "only" }, () => 1),
    ),
    "in-sequence": app.defineWorkflow<BodyInput, unknown>(
      { name: "in-sequence" },
      async ({ input: { steps = 0 }, step }) => {
        const began = await step.run({ name: "began" }, clock);
        for (let n = 0; n < steps; n += 1) await step.run({ name: `s${n}` }, () => n);
        return clock() - began;
      },
    ),
    "in-parallel": app.defineWorkflow<BodyInput, unknown>(
      { name: "in-parallel" },
      async ({ input: { steps = 0 }, step }) => {
        const began = await step.run({ name: "began" }, clock);
        const all = Array.from({ length: steps }, (_, n) => step.run({ name: `s${n}` }, () => n));
        await Promise.all(all);
        return clock() - began;
      },
    ),
    sleeper: app.defineWorkflow<BodyInput, unknown>(
      { name: "sleeper" },
      async ({ input: { ms = 0 }, step }) => {
        const before = await step.run({ name: "before" }, () => Date.now());
        await step.sleep("sleep", `${ms}ms`);
        return Date.now() - before - ms;
      },
    ),
    waiter: app.defineWorkflow<BodyInput, unknown>(
      { name: "waiter" },
      async ({ input: { event = "" }, step }) => {
        await step.waitForSignal({ signal: event, timeout: "10m" });
        return 1;
      },
    ),
  };
  return { app, bodies };
}

export const system: System = {
  install: async (url) => {
    const backend = await BackendPostgres.connect(url);
    await backend.stop();
    return url;
  },
  workflows: {
    connect: async (url) => {
      const backend = await BackendPostgres.connect(withPool(url), { runMigrations: false });
      const { app, bodies } = define(backend);
      const database = await connectTo(url);
      return {
        start: async (body, input) => {
          const run = await bodies[body].run(input);
          return {
            result: () => run.result(),
            signal: async () => void (await app.sendSignal({ signal: input.event ?? "" })),
          };
        },
        allEnded: () =>
          waitUntilNone(
            database,
            `select from openworkflow.workflow_runs
             where status in ('pending', 'running', 'sleeping') limit 1`,
          ),
        close: async () => {
          await backend.stop();
          await database.end();
        },
      };
    },
    serve: async (url) => {
      const backend = await BackendPostgres.connect(withPool(url), { runMigrations: false });
      const worker = define(backend).app.newWorker({ concurrency: CONCURRENCY });
      await worker.start();
      return async () => {
        await worker.stop();
        await backend.stop();
      };
    },
  },
};
