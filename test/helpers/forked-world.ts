/** Runs in flight in every way, and what must be so of them in a fork and in its source. */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createWorker, type Worker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { installClock, moveClock, restoreClock } from "./moving-clock.ts";

const KINDS = ["napper", "waiter", "stored", "retrier", "holder", "parent"] as const;
type Kind = (typeof KINDS)[number];

/** Ids of runs, by what they are doing at the time of the fork. */
export type Flight = Readonly<Record<Kind, readonly string[]>>;

const WITHIN_MS = 60_000;

/** One of the two databases, with its own worker. */
export class World {
  readonly url: string;
  /** The result of steps that are executed here. */
  readonly side: string;
  readonly client: WorkflowClient;
  readonly #database: pg.Client;
  readonly #gate: Promise<void>;
  #open: () => void = () => {};
  #worker: Worker | undefined;

  /** Runs of `retrier` that have failed once, on either side. */
  readonly #hasFailed: Set<string>;

  private constructor(url: string, side: string, database: pg.Client, hasFailed: Set<string>) {
    this.#hasFailed = hasFailed;
    this.url = url;
    this.side = side;
    this.client = createWorkflowClient({ url });
    this.#database = database;
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** The source of a fork, whose clock only moves on request; so does that of the fork, which is its copy. */
  static async openSource(url: string): Promise<World> {
    await installClock(url);
    return World.open(url);
  }

  static async open(url: string, source?: World): Promise<World> {
    const database = new pg.Client(url);
    await database.connect();
    if (source === undefined) return new World(url, "source", database, new Set());
    await restoreClock(database);
    return new World(url, "fork", database, source.#hasFailed);
  }

  async close(): Promise<void> {
    this.#open();
    await this.#worker?.stop();
    await this.client.close();
    await this.#database.end();
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#database.query<Row>(text, values)).rows;
  }

  /** @param backOffMs How long what fails waits before it is tried again. */
  serve(backOffMs: number): void {
    const { side } = this;
    const [gate, hasFailed] = [this.#gate, this.#hasFailed];
    const waiter = workflow({
      name: "waiter",
      run: (ctx) => ctx.step.waitForEvent("go", { timeout: "1h" }),
    });
    const retry = { attempts: 5, backoff: { kind: "fixed", base: backOffMs, jitter: 0 } } as const;
    this.#worker = createWorker({
      url: this.url,
      concurrency: 500,
      workflows: [
        waiter,
        workflow({
          name: "napper",
          run: async (ctx, until: string) => {
            const first = await ctx.step.run("before", () => side);
            await ctx.step.sleepUntil("nap", new Date(until));
            return [first, await ctx.step.run("after", () => side)];
          },
        }),
        workflow({
          name: "stored",
          run: async (ctx, until: string) => {
            await ctx.step.sleepUntil("nap", new Date(until));
            return ctx.step.waitForEvent("early");
          },
        }),
        workflow({
          name: "retrier",
          run: (ctx) =>
            ctx.step.run(
              "flaky",
              () => {
                if (!hasFailed.has(ctx.runId)) {
                  hasFailed.add(ctx.runId);
                  throw new Error("not yet");
                }
                return side;
              },
              { retry },
            ),
        }),
        workflow({
          name: "holder",
          run: (ctx) =>
            ctx.step.run("hold", async () => {
              await gate;
              return side;
            }),
        }),
        workflow({
          name: "parent",
          run: (ctx) => ctx.step.invoke("child", waiter, {}),
        }),
        workflow({ name: "ping", run: (ctx) => ctx.step.run("pong", () => side) }),
      ],
    });
  }

  /** Starts runs of each kind, and resolves when all have reached the state in which they are forked. */
  async takeOff(each: number, until: Date): Promise<Flight> {
    const started = await Promise.all(
      KINDS.map(async (kind) => {
        const runs = await Promise.all(
          Array.from({ length: each }, () => this.client.start(kind, until.toISOString())),
        );
        return [kind, runs.map(({ runId }) => runId)] as const;
      }),
    );
    const flight = Object.fromEntries(started) as unknown as Flight;
    await Promise.all(
      flight.stored.map((run) => this.client.signal(run, "early", { from: "before" })),
    );
    await eventually(
      () => this.activities(flight),
      {
        napper: "sleeping",
        stored: "sleeping",
        waiter: "waiting",
        retrier: "retrying",
        holder: "executing",
      },
      { withinMs: WITHIN_MS },
    );
    return flight;
  }

  /** The activity of each kind, where all of its runs have the same. */
  async activities(flight: Flight): Promise<Partial<Record<Kind, string>>> {
    const found: Partial<Record<Kind, string>> = {};
    for (const kind of KINDS) {
      const rows = await this.query<{ activity: string }>(
        `select distinct coalesce(g.activity, g.status::text) as activity
         from unnest($1::bigint[]) as i (id), queue.workflow_get(i.id) as g`,
        [flight[kind]],
      );
      found[kind] = rows.map(({ activity }) => activity).join(", ");
    }
    return found;
  }

  /** All that is written down of runs that wait for something: times to the microsecond. */
  deadlines(flight: Flight): Promise<unknown[]> {
    return this.query(
      `select g.run_id, g.status::text, g.activity, g.resumes_at::text, g.started_at::text, g.waits, g.retries, g.deadline::text
       from unnest($1::bigint[]) as i (id), queue.workflow_get(i.id) as g
       order by g.run_id`,
      [[...flight.napper, ...flight.waiter, ...flight.stored, ...flight.retrier]],
    );
  }

  openGate(): void {
    this.#open();
  }

  /** Skips the time until a moment. */
  async skipTo(moment: Date): Promise<void> {
    await moveClock(this.#database, moment);
  }

  /** The results of runs of one kind, each value once. */
  async outputs(runs: readonly string[]): Promise<unknown[]> {
    const rows = await this.query<{ output: unknown }>(
      `select distinct g.output from unnest($1::bigint[]) as i (id), queue.workflow_get(i.id) as g`,
      [runs],
    );
    return rows.map(({ output }) => output);
  }
}

/** Signals what waits for it in one of the two. */
export async function signalAll(world: World, flight: Flight): Promise<void> {
  const children = await world.query<{ run_id: string }>(
    `select c.run_id from unnest($1::bigint[]) as i (id), queue.workflow_children(i.id) as c`,
    [flight.parent],
  );
  expect(children).toHaveLength(flight.parent.length);
  for (const run of [...flight.waiter, ...children.map((child) => child.run_id)]) {
    expect(await world.client.signal(run, "go", { from: world.side })).toBe("delivered");
  }
}

/** Everything has ended, as it should here, and not before the time at which it should. */
export async function expectLanded(world: World, flight: Flight, until: Date): Promise<void> {
  await eventually(
    () => world.activities(flight),
    (found) => KINDS.every((kind) => found[kind] === "completed"),
    { withinMs: WITHIN_MS },
  );
  const own = { from: world.side };
  expect(await world.outputs(flight.waiter)).toEqual([own]);
  expect(await world.outputs(flight.parent)).toEqual([own]);
  expect(await world.outputs(flight.stored)).toEqual([{ from: "before" }]);
  expect(await world.outputs(flight.retrier)).toEqual([world.side]);
  expect(await world.outputs(flight.holder)).toEqual([world.side]);
  expect(await world.outputs(flight.napper)).toEqual([["source", world.side]]);
  const [naps] = await world.query<{ first: Date }>(
    `select min(j.completed_at) as first
     from unnest($1::bigint[]) as i (id), queue.workflow_journal(i.id) as j
     where j.name = 'nap'`,
    [flight.napper],
  );
  expect(naps?.first.getTime()).toBeGreaterThanOrEqual(until.getTime());
  expect(await world.query("select * from queue.check_invariants()")).toEqual([]);
}
