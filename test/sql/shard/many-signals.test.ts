/** Many signals of another shard in one batch, which are carried out together: with the effects of one after the other. */
import { describe, expect, it } from "vitest";
import { Chance } from "../../audit/workload/chance.ts";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { move, startIn } from "../../helpers/outbox.ts";

const { a, b } = (await createFleet()).databases;

type State = "executing" | "suspended" | "paused" | "given back" | "ended";

interface Wait {
  readonly kind: "event";
  readonly step: string;
  readonly event: string;
  readonly match?: object;
}

interface Signal {
  /** Index of the run. */
  readonly of: number;
  readonly event: string;
  readonly payload: unknown;
  readonly deduplicationId: string | null;
}

/** A run in a state, which waits for events. */
async function startWaiting(state: State, waits: readonly Wait[]): Promise<string> {
  const [started] = await b.query<{ run: string; receipt: string }>(
    `select run_id::text as run, receipt::text
     from queue.workflow_start_batch('awaited', array[null::jsonb], lease_seconds => array[600])`,
  );
  const { run, receipt } = started ?? { run: "", receipt: "" };
  await b.query(
    `select queue.workflow_commit(array['awaited'], array[$1::bigint], array[$2::bigint], array[$3], array[$4::jsonb],
       array[null::timestamptz])`,
    [
      run,
      receipt,
      state === "executing" || state === "given back" ? "keep" : "suspend",
      JSON.stringify({ waits, retries: [], journaled: 0 }),
    ],
  );
  if (state === "given back") {
    // Before it has taken the signals that have come.
    await b.query(
      `select queue.workflow_signal($1, 'stop'), queue.workflow_signal($1, 'go', '{"n": 1}')`,
      [run],
    );
    await b.query(
      "select queue.workflow_commit(array['awaited'], array[$1::bigint], array[$2::bigint], array['release'], array[null::jsonb], array[null::timestamptz])",
      [run, receipt],
    );
  }
  if (state === "paused") await b.query("select queue.workflow_pause($1)", [run]);
  if (state === "ended") await b.query("select queue.workflow_cancel($1)", [run]);
  return run;
}

/** What signals have changed of a run, without times and ids. */
async function effectsOn(run: string): Promise<unknown> {
  const [row] = await b.query(
    `select
       (select jsonb_agg(jsonb_build_array(event, payload) order by signal_id) from queue.workflow_buffered_signal where run_id = $1) as buffered,
       (select jsonb_agg(jsonb_build_array(position, step_name, kind, output, attempts) order by position) from queue.workflow_step where run_id = $1) as journal,
       (select jsonb_agg(jsonb_build_array(deduplication_id, outcome) order by deduplication_id) from queue.workflow_signal_receipt where run_id = $1) as receipts,
       (select jsonb_build_object('message', regexp_replace(message::text, '(, )?"since": "[^"]*"', '', 'g'), 'leased', receipt is not null, 'settled', settled_receipt = 0,
          'ready', visible_at <= clock_timestamp(), 'paused', headers -> 'paused' is not null, 'due', headers #> '{paused,due}' is not null)
        from queue.workflow_continuation where msg_id = $1) as continuation`,
    [run],
  );
  return row;
}

const EVENTS = ["go", "stop"] as const;

function anyWaits(chance: Chance): Wait[] {
  return Array.from({ length: chance.between(0, 3) }, (_, n) => ({
    kind: "event",
    step: `wait ${n}`,
    event: chance.pick(EVENTS),
    ...(chance.next() < 0.4 ? { match: { n: chance.between(0, 2) } } : {}),
  }));
}

function anySignals(chance: Chance, runs: number): Signal[] {
  return Array.from({ length: chance.between(2, 14) }, () => ({
    of: chance.between(0, runs - 1),
    event: chance.pick(EVENTS),
    payload: chance.pick([{ n: 0 }, { n: 1 }, { n: 2 }, null, "text"]),
    deduplicationId: chance.next() < 0.1 ? chance.pick(["x", "y"]) : null,
  }));
}

const send = (database: TestDatabase, run: string, signal: Signal): Promise<unknown> =>
  database.query("select queue.workflow_signal($1, $2, $3, $4)", [
    run,
    signal.event,
    JSON.stringify(signal.payload),
    signal.deduplicationId,
  ]);

const FIRST_SEED = Math.trunc(Math.random() * 2 ** 31);

it.each(Array.from({ length: 25 }, (_, n) => FIRST_SEED + n))(
  "have the effects of one after the other (seed %i)",
  async (seed) => {
    const chance = new Chance(seed);
    const plans = Array.from({ length: chance.between(1, 4) }, () => ({
      state: chance.pick<State>([
        "executing",
        "suspended",
        "suspended",
        "paused",
        "given back",
        "ended",
      ]),
      waits: anyWaits(chance),
    }));
    const signals = anySignals(chance, plans.length);
    const [together, apart]: [string[], string[]] = [[], []];
    for (const { state, waits } of plans) {
      together.push(await startWaiting(state, waits));
      apart.push(await startWaiting(state, waits));
    }
    for (const signal of signals) await send(a, together[signal.of] ?? "", signal);
    for (const signal of signals) await send(b, apart[signal.of] ?? "", signal);
    const { outcomes } = await move(a, b, "b");
    expect(new Set(outcomes)).toEqual(new Set(["ok"]));
    for (const [index, run] of together.entries()) {
      expect({ ...plans[index], effects: await effectsOn(run) }).toEqual({
        ...plans[index],
        effects: await effectsOn(apart[index] ?? ""),
      });
    }
  },
);

describe("many signals", () => {
  const received = async (run: string): Promise<unknown[]> =>
    (
      await b.query(
        "select payload from queue.workflow_buffered_signal where run_id = $1 order by signal_id",
        [run],
      )
    ).map(({ payload }) => payload);
  const signal = (run: string, payload: unknown): Promise<unknown> =>
    send(a, run, { of: 0, event: "go", payload, deduplicationId: null });

  it("keep their order around items of other kinds, and of rejected ones", async () => {
    const [run, other, gone] = [await startIn(b), await startIn(b), String(2n ** 36n + 10n ** 9n)];
    await signal(run, 1);
    await signal(gone, 1);
    await signal(run, 2);
    await a.query("select queue.workflow_cancel($1)", [other]);
    await signal(other, 1);
    await signal(run, 3);
    // As from a program that relays its own items.
    await a.query(
      `insert into queue.outbox (created_at, target, kind, body)
       values (now(), 1, 'signal', $1), (now(), 1, 'signal', '{"run": "x", "event": "go"}')`,
      [{ run, event: " approval:step", payload: 4 }],
    );
    await signal(run, 5);
    await signal(run, 6);
    expect((await move(a, b, "b")).outcomes).toEqual([
      "ok",
      "gone",
      "ok",
      "ok",
      "ok",
      "ok",
      "rejected",
      "rejected",
      "ok",
      "ok",
    ]);
    expect(await received(run)).toEqual([1, 2, 3, 5, 6]);
    expect(await received(other)).toEqual([]);
  });

  it("breaks no invariant", async () => {
    for (const database of [a, b]) {
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    }
  });
});
