/**
 * The workflows of the workload. Each reports its effects to the auditor, and its expected end follows only from the
 * input (`expectations.ts`).
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Context, type Workflow, workflow } from "@oxbow/sdk/runtime";
import type { RunInput } from "../record.ts";
import type { AuditLog } from "./log.ts";
import { PAID_TOPIC, SHIPPED_TOPIC, SILENT_TOPIC } from "./queues.ts";

export interface WorkflowSurroundings {
  readonly log: AuditLog;
  /** A file named after a trial in this folder stops the deadly runs of that trial from killing workers. */
  readonly mended: string;
  /** Whether this way to the database has transactions for `step.tx`. */
  readonly hasTransactions: boolean;
  /** Publishes a message; rejects if that isn't acknowledged. */
  readonly publish: (topic: string, message: object) => Promise<unknown>;
}

type Filled = number | { readonly value: number; readonly filler: string };

const valueOf = (filled: Filled): number => (typeof filled === "number" ? filled : filled.value);

/** One delivery of one run: what its body has seen, and the calls that it makes. */
class Passage {
  readonly #ctx: Context;
  readonly #input: RunInput;
  readonly #around: WorkflowSurroundings;
  readonly #seen: string[] = [];

  constructor(ctx: Context, input: RunInput, around: WorkflowSurroundings) {
    this.#ctx = ctx;
    this.#input = input;
    this.#around = around;
  }

  async run(
    step: string,
    value: number,
    {
      isUndone = false,
      fails,
      does,
    }: {
      isUndone?: boolean;
      fails?: () => boolean;
      does?: (signal: AbortSignal) => Promise<void>;
    } = {},
  ): Promise<number> {
    const after = [...this.#seen];
    const act = (signal: AbortSignal): Promise<Filled> =>
      this.#act(step, after, signal, async () => {
        await does?.(signal);
        if (fails?.() === true) throw new Error("not at first");
        const { filler = 0 } = this.#input;
        return filler === 0 ? value : { value, filler: fillerOf(value, filler) };
      });
    const undo = (_value: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> =>
      this.#act(`undo-${step}`, [], signal, () => null);
    const result = await this.#ctx.step.run(step, act, isUndone ? { rollback: undo } : {});
    this.#seen.push(step);
    return valueOf(result);
  }

  /** A step of an earlier generation. */
  hasSeen(step: string): void {
    this.#seen.push(step);
  }

  async book(step: string, amount: number): Promise<number> {
    const after = [...this.#seen];
    const result = await this.#ctx.step.tx(step, (tx, signal) =>
      this.#act(step, after, signal, async () => {
        await tx.query("insert into audit_ledger (run_id, step, amount) values ($1, $2, $3)", [
          this.#ctx.runId,
          step,
          amount,
        ]);
        return amount;
      }),
    );
    this.#seen.push(step);
    return result;
  }

  async sleep(step: string, ms: number): Promise<void> {
    await this.#timed(step, ms, () => this.#ctx.step.sleep(step, ms));
  }

  /** Waits for what never comes. */
  async lapse(step: string, timeout: number, topic?: string): Promise<boolean> {
    const payload = await this.#timed(step, timeout, () =>
      this.#ctx.step.waitForEvent(step, topic === undefined ? { timeout } : { timeout, topic }),
    );
    return payload === null;
  }

  async invoke(step: string, child: Workflow, number: number): Promise<number> {
    const result = await this.#ctx.step.invoke(step, child, { ...this.#input, number });
    this.#seen.push(step);
    return result as number;
  }

  /** Streams an answer in pieces; each call of the callback writes different pieces. */
  async answer(step: string, pieces: number): Promise<readonly string[]> {
    const after = [...this.#seen];
    return this.#ctx.step.run(step, (signal) =>
      this.#act(step, after, signal, async () => {
        const call = crypto.randomUUID().slice(0, 8);
        const answer: string[] = [];
        for (let n = 0; n < pieces; n += 1) {
          const piece = `${call}-${n}`;
          this.#ctx.stream.write(piece);
          answer.push(piece);
          await pause(this.#input.ms);
        }
        return answer;
      }),
    );
  }

  async #timed<Value>(step: string, ms: number, wait: () => Promise<Value>): Promise<Value> {
    const { trial } = this.#input;
    const run = this.#ctx.runId;
    this.#around.log.send({ kind: "slept", trial, run, step, ms });
    const value = await wait();
    this.#around.log.send({ kind: "woke", trial, run, step });
    this.#seen.push(step);
    return value;
  }

  async #act<Value>(
    step: string,
    after: readonly string[],
    signal: AbortSignal,
    effect: () => Value | Promise<Value>,
  ): Promise<Value> {
    const { log, mended } = this.#around;
    const { trial, ms, deadly, blocks = false } = this.#input;
    const call = crypto.randomUUID();
    const facts = { trial, call, run: this.#ctx.runId, step, after, pid: process.pid };
    await log.note({ kind: "began", ...facts, wall: Date.now() });
    const abort = (): void => log.send({ kind: "aborted", trial, call });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    if (deadly !== undefined && !existsSync(join(mended, trial))) die(deadly);
    let threw = true;
    try {
      if (blocks) standStill(ms);
      else await pause(ms * (0.5 + Math.random()));
      const value = await effect();
      threw = false;
      return value;
    } finally {
      signal.removeEventListener("abort", abort);
      await log.note({ kind: "ended", trial, call, threw });
    }
  }
}

/** Calls until it comes through, or the step is over. */
async function insist(signal: AbortSignal, call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch {
      await pause(250, undefined, { signal });
    }
  }
}

/** True once for each run, in whichever process. */
function isFirst(mended: string, run: string): boolean {
  try {
    closeSync(openSync(join(mended, `flaky-${run}`), "wx"));
    return true;
  } catch {
    return false;
  }
}

export function makeWorkflows(around: WorkflowSurroundings): Workflow[] {
  const define = (
    name: string,
    body: (go: Passage, input: RunInput, ctx: Context) => Promise<unknown>,
  ): Workflow =>
    workflow({
      name,
      // As few attempts as by default: a fault of the infrastructure is no attempt.
      retry: { attempts: 3, backoff: { kind: "fixed", base: "200ms", jitter: 0 } },
      run: (ctx, input: RunInput) => body(new Passage(ctx, input, around), input, ctx),
    });

  const leaf = define("leaf", (go, { number }) => go.run("a", number));
  const definitions = [
    leaf,
    define("chain", async (go, { number, steps = 5 }) => {
      let sum = 0;
      for (let n = 0; n < steps; n += 1) sum += await go.run(`s${n}`, number + n);
      return sum;
    }),
    define("fan", async (go, { number }) =>
      add(await Promise.all([0, 1, 2, 3].map((n) => go.run(`s${n}`, number + n)))),
    ),
    define("nap", async (go, { number }) => {
      await go.sleep("nap-1", 300);
      const first = await go.run("a", number);
      await go.sleep("nap-2", 200);
      return first + (await go.run("b", number + 1));
    }),
    define("wait", async (go, { number }, ctx) => {
      const [payload, lapsed] = await Promise.all([
        ctx.step.waitForEvent("go", { match: { number } }) as Promise<{ value: number } | null>,
        go.lapse("late", 300),
      ]);
      return (payload?.value ?? 0) + (lapsed ? 1 : 0);
    }),
    define("family", async (go, { number }) =>
      add(await Promise.all([0, 1, 2].map((n) => go.invoke(`c${n}`, leaf, number + n)))),
    ),
    define("undo", async (go, { number }) => {
      for (let n = 0; n < 3; n += 1) await go.run(`s${n}`, number + n, { isUndone: true });
      throw new Error("expected failure");
    }),
    define("flaky", (go, input, ctx) =>
      go.run("a", input.number, {
        fails: () => isFirst(around.mended, `${input.trial}-${ctx.runId}`),
      }),
    ),
    define(
      "long",
      async (go, { number }) => (await go.run("hold", number)) + (await go.run("b", 1)),
    ),
    define("hoard", async (go, { steps = 30, number }) => {
      for (let n = 0; n < steps; n += 1) await go.run(`s${n}`, number);
      await go.sleep("nap", 300);
      return go.run("end", number);
    }),
    define("stream", (go) => go.answer("answer", 8)),
    define("renew", async (go, input, ctx) => {
      const { number, carried = 0 } = input;
      for (let earlier = 1; earlier < ctx.generation; earlier += 1) go.hasSeen(`g${earlier}`);
      const sum = carried + (await go.run(`g${ctx.generation}`, number + ctx.generation));
      return ctx.generation === 3 ? sum : ctx.continueAsNew({ ...input, carried: sum });
    }),
    define("order", async (go, { trial, number }, ctx) => {
      const match = { trial, number };
      const answer = (step: string, topic: string): Promise<{ value: number } | null> =>
        ctx.step.waitForEvent(step, { event: "order", topic, match }) as Promise<{
          value: number;
        } | null>;
      const paid = answer("paid", PAID_TOPIC);
      const shipped = answer("shipped", SHIPPED_TOPIC);
      // The answers come as soon as the subscriptions allow.
      const asked = go.run("ask", number, {
        does: async (signal) => {
          await insist(signal, () =>
            around.publish(SHIPPED_TOPIC, { ...match, value: number + 2 }),
          );
          await insist(signal, () => around.publish(PAID_TOPIC, { ...match, value: number + 1 }));
        },
      });
      const [first, second] = await Promise.all([paid, shipped, asked]);
      const hasLapsed = await go.lapse("late", 300, SILENT_TOPIC);
      return [first?.value, second?.value, hasLapsed];
    }),
    define("noted", async (go, { number }) => go.run("a", number)),
    // Most trials don't start any: a worker that has nothing to do for it must not mind.
    workflow({
      name: "turns",
      flowControl: { key: "number", concurrencyPerKey: 1 },
      run: (ctx, input: RunInput) => new Passage(ctx, input, around).run("a", input.number),
    }),
    workflow({
      name: "ticked",
      run: (ctx) => ctx.step.run("a", () => ctx.schedule?.scheduledAt.toISOString() ?? null),
    }) as unknown as Workflow,
  ];
  // A caller's transaction can't go through a server.
  if (!around.hasTransactions) return definitions;
  const book = define("book", async (go, { number }) => {
    const first = await go.run("a", number);
    return first + (await go.book("book-1", number)) + (await go.book("book-2", 1));
  });
  return [...definitions, book];
}

const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Characters that don't compress to nothing. */
function fillerOf(seed: number, length: number): string {
  const block = Array.from(
    { length: 512 },
    (_, n) => Math.imul(seed * 512 + n + 1, 2_654_435_761) >>> 0,
  )
    .map((word) => word.toString(36))
    .join("");
  return block.repeat(Math.ceil(length / block.length)).slice(0, length);
}

function standStill(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function die(how: "kill" | "exit" | "memory"): void {
  if (how === "exit") process.exit(70);
  if (how === "kill") {
    process.kill(process.pid, "SIGKILL");
    return;
  }
  const hoard: unknown[] = [];
  for (;;) hoard.push(Array.from({ length: 1_000_000 }, () => ({})));
}
