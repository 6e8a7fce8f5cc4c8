import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { WorkflowClient, WorkflowEngine, workflow } from "pg-workflows";
import { clock } from "../measure/clock.ts";
import type { BodyInput, System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";

const POOL = 20;
const WORKERS = "100";
const POLL_MS = 10;

/** It prints a line for each step otherwise. */
const logger = { log: () => {}, error: (...args: unknown[]) => console.error(...args) };

const now = (): Promise<number> => Promise.resolve(clock());
const one = (): Promise<number> => Promise.resolve(1);

const workflows = [
  workflow("one-step", ({ step }) => step.run("only", one)),
  // It reads the names of steps out of the source of `step.…` calls, and a run ends only after the last one that it
  // found there. Names that are made at run time are not found; nor are calls through another expression.
  workflow("in-sequence", async (context) => {
    const { steps = 0 } = context.input as BodyInput;
    const began = await context.step.run("began", now);
    for (let n = 0; n < steps; n += 1) await context.step.run(`s${n}`, one);
    return clock() - began;
  }),
  workflow("in-parallel", async (context) => {
    const { steps = 0 } = context.input as BodyInput;
    const began = await context.step.run("began", now);
    await Promise.all(Array.from({ length: steps }, (_, n) => context.step.run(`s${n}`, one)));
    return clock() - began;
  }),
  workflow("sleeper", async ({ step, input }) => {
    const { ms = 0 } = input as BodyInput;
    const before = await step.run("before", () => Promise.resolve(Date.now()));
    await step.waitUntil("sleep", new Date(before + ms));
    return Date.now() - before - ms;
  }),
  workflow("waiter", async ({ step }) => {
    await step.waitFor("wait", { eventName: "go" });
    return 1;
  }),
];

export const system: System = {
  install: async (url) => {
    const engine = new WorkflowEngine({ connectionString: url, workflows, logger });
    await engine.start(false);
    await engine.stop();
    return url;
  },
  workflows: {
    connect: async (url) => {
      const pool = new pg.Pool({ connectionString: url, max: POOL });
      const client = new WorkflowClient({ pool, logger });
      await client.start();
      const result = async (runId: string): Promise<unknown> => {
        for (;;) {
          const run = await client.getRun({ runId });
          if (run.status === "completed") return run.output;
          if (run.status === "failed") throw new Error(`A run failed: ${run.error}`);
          await sleep(POLL_MS);
        }
      };
      return {
        start: async (body, input) => {
          const { id: runId } = await client.startWorkflow({ workflowId: body, input });
          return {
            result: () => result(runId),
            signal: async () =>
              void (await client.triggerEvent({ runId, eventName: "go", data: {} })),
          };
        },
        allEnded: () =>
          waitUntilNone(
            pool,
            `select from workflow_runs
             where status not in ('completed', 'failed', 'cancelled') limit 1`,
          ),
        close: async () => {
          await client.stop();
          await pool.end();
        },
      };
    },
    serve: async (url) => {
      process.env["WORKFLOW_RUN_WORKERS"] = WORKERS;
      const pool = new pg.Pool({ connectionString: url, max: POOL });
      const engine = new WorkflowEngine({ pool, workflows, logger });
      await engine.start();
      return async () => {
        await engine.stop();
        await pool.end();
      };
    },
  },
};
