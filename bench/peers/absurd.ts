import { readFile } from "node:fs/promises";
import { Absurd } from "absurd-sdk";
import pg from "pg";
import { clock } from "../measure/clock.ts";
import type { Body, BodyInput, System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";
import type { TaskContext } from "absurd-sdk";

const QUEUE = "bench";
const POOL = 20;
const CONCURRENCY = 100;
const POLL_S = 0.01;

const now = (): Promise<number> => Promise.resolve(clock());
const nothing = (): Promise<number> => Promise.resolve(1);

const bodies: Record<Body, (input: BodyInput, ctx: TaskContext) => Promise<unknown>> = {
  "one-step": (_, ctx) => ctx.step("only", nothing),
  "in-sequence": async ({ steps = 0 }, ctx) => {
    const began = await ctx.step("began", now);
    for (let n = 0; n < steps; n += 1) await ctx.step(`s${n}`, nothing);
    return clock() - began;
  },
  "in-parallel": async ({ steps = 0 }, ctx) => {
    const began = await ctx.step("began", now);
    await Promise.all(Array.from({ length: steps }, (_, n) => ctx.step(`s${n}`, nothing)));
    return clock() - began;
  },
  sleeper: async ({ ms = 0 }, ctx) => {
    const before = await ctx.step("before", () => Promise.resolve(Date.now()));
    await ctx.sleepFor("sleep", ms / 1_000);
    return Date.now() - before - ms;
  },
  waiter: ({ event = "" }, ctx) => ctx.awaitEvent(event),
};

export const system: System = {
  install: async (url) => {
    const path = process.env["ABSURD_SQL"] ?? "";
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    await pool.query(await readFile(path, "utf8"));
    await new Absurd({ db: pool, queueName: QUEUE }).createQueue();
    await pool.end();
    return url;
  },
  workflows: {
    connect: (url) => {
      const pool = new pg.Pool({ connectionString: url, max: POOL });
      const client = new Absurd({ db: pool, queueName: QUEUE });
      return Promise.resolve({
        start: async (body, input) => {
          const { taskID } = await client.spawn(body, input, { queue: QUEUE });
          return {
            result: async () => {
              const end = await client.awaitTaskResult(taskID);
              if (end.state === "completed") return end.result;
              throw new Error(`A task ended as ${end.state}.`);
            },
            signal: () => client.emitEvent(input.event ?? "", {}),
          };
        },
        allEnded: () =>
          waitUntilNone(
            pool,
            `select from absurd.t_${QUEUE} where state not in ('completed', 'failed', 'cancelled') limit 1`,
          ),
        close: async () => {
          await client.close();
          await pool.end();
        },
      });
    },
    serve: async (url) => {
      const pool = new pg.Pool({ connectionString: url, max: POOL });
      const app = new Absurd({ db: pool, queueName: QUEUE });
      for (const [name, body] of Object.entries(bodies)) app.registerTask({ name }, body);
      const worker = await app.startWorker({
        concurrency: CONCURRENCY,
        batchSize: CONCURRENCY,
        pollInterval: POLL_S,
      });
      return async () => {
        await worker.close();
        await pool.end();
      };
    },
  },
};
