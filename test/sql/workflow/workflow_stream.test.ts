/** Streams of runs whose workers are killed: chunks carry the delivery that wrote them. */
import { describe, expect, it } from "vitest";
import { type Delivery, type Runs, shareRun, shareRuns } from "../../helpers/runs.ts";

interface Chunk extends Record<string, unknown> {
  readonly position: string;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly chunk: unknown;
  readonly reset_since: string | null;
}

interface Written {
  readonly step?: string;
  readonly attempt?: number;
  readonly number: number;
  readonly chunk: unknown;
}

/** Commits chunks of a delivery, and steps that it journals. */
async function write(
  runs: Runs,
  delivery: Delivery,
  chunks: readonly Written[],
  steps: readonly { readonly name: string; readonly attempts?: number }[] = [],
  transition = "keep",
): Promise<unknown> {
  const [row] = await runs.database.query(
    `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4],
       array[case when $4 = 'complete' then '"done"'::jsonb else null end], array[null::timestamptz],
       step_items => $5::integer[], step_positions => $6::integer[], step_names => $7::text[],
       step_kinds => $8::text[], step_outputs => $9::jsonb[], step_errors => null, step_attempts => $10::integer[],
       step_durations => $11::double precision[], stream_items => $12::integer[], stream_steps => $13::text[],
       stream_attempts => $14::integer[], stream_numbers => $15::integer[], stream_chunks => $16::jsonb[])`,
    [
      runs.name,
      delivery.run_id,
      delivery.receipt,
      transition,
      ...(steps.length === 0
        ? [null, null, null, null, null, null, null]
        : [
            steps.map(() => 1),
            steps.map((_, n) => n + 1),
            steps.map(({ name }) => name),
            steps.map(() => "run"),
            steps.map(() => "1"),
            steps.map(({ attempts = 1 }) => attempts),
            steps.map(() => 1),
          ]),
      ...(chunks.length === 0
        ? [null, null, null, null, null]
        : [
            chunks.map(() => 1),
            chunks.map(({ step = "ask" }) => step),
            chunks.map(({ attempt = 1 }) => attempt),
            chunks.map(({ number }) => number),
            chunks.map(({ chunk }) => JSON.stringify(chunk)),
          ]),
    ],
  );
  return row?.["outcome"];
}

/** A reader that keeps what it has over reconnections, and obeys resets. */
class Reader {
  readonly #runs: Runs;
  readonly #runId: string;
  chunks: Chunk[] = [];
  resets = 0;
  #after = "0";

  constructor(runs: Runs, runId: string) {
    this.#runs = runs;
    this.#runId = runId;
  }

  async read(maxChunks = 1_000): Promise<number> {
    const found = await this.#runs.database.query<Chunk>(
      "select position, step, attempt, chunk, reset_since from queue.workflow_stream($1, $2, $3)",
      [this.#runId, this.#after, maxChunks],
    );
    for (const row of found) {
      if (BigInt(row.position) <= BigInt(this.#after)) throw new Error("A position is used twice.");
      this.#after = row.position;
      const since = row.reset_since;
      if (since === null) this.chunks.push(row);
      else {
        this.resets += 1;
        this.chunks = this.chunks.filter(
          ({ step, position }) => step !== row.step || BigInt(position) < BigInt(since),
        );
      }
    }
    return found.length;
  }

  async readAll(): Promise<unknown[]> {
    while ((await this.read()) > 0);
    return this.chunks.map(({ chunk }) => chunk);
  }
}

/** The worker is killed, and another one receives its run. */
async function again(runs: Runs): Promise<Delivery> {
  await runs.endLeases();
  return runs.receiveOne();
}

describe("a call that is repeated after its worker was killed", () => {
  it("supersedes what the killed one wrote; readers that may have it get a reset", async () => {
    const { runs, runId } = await shareRun("killed");
    const first = await runs.receiveOne();
    const early = new Reader(runs, runId);
    for (const n of [1, 2, 3, 4, 5]) await write(runs, first, [{ number: n, chunk: `A${n}` }]);
    await early.read();
    const second = await again(runs);
    for (const n of [1, 2, 3]) await write(runs, second, [{ number: n, chunk: `B${n}` }]);
    // The one that was killed is a zombie.
    expect(await write(runs, first, [{ number: 6, chunk: "A6" }])).toBe("lost");
    await write(runs, second, [], [{ name: "ask" }], "complete");
    const late = new Reader(runs, runId);
    expect(await late.readAll()).toEqual(["B1", "B2", "B3"]);
    expect(late.resets).toBe(0);
    expect(await early.readAll()).toEqual(["B1", "B2", "B3"]);
    expect(early.resets).toBe(1);
    expect(await runs.violations()).toEqual([]);
  });

  it("has its chunks once when a commit is repeated after a lost answer", async () => {
    const { runs, runId } = await shareRun("repeated");
    const delivery = await runs.receiveOne();
    for (let n = 0; n < 2; n += 1) {
      await write(runs, delivery, [
        { number: 1, chunk: "A1" },
        { step: "", attempt: 0, number: 1, chunk: "body" },
      ]);
    }
    expect(await new Reader(runs, runId).readAll()).toEqual(["A1", "body"]);
  });

  it("that writes nothing takes back what the killed one wrote when it is journaled", async () => {
    const { runs, runId } = await shareRun("silent");
    const reader = new Reader(runs, runId);
    await write(runs, await runs.receiveOne(), [{ number: 1, chunk: "A1" }]);
    expect(await reader.readAll()).toEqual(["A1"]);
    await write(runs, await again(runs), [], [{ name: "ask" }], "complete");
    expect(await reader.readAll()).toEqual([]);
    expect(await new Reader(runs, runId).readAll()).toEqual([]);
  });

  it("doesn't touch other steps", async () => {
    const { runs, runId } = await shareRun("others");
    const reader = new Reader(runs, runId);
    await write(runs, await runs.receiveOne(), [
      { step: "other", number: 1, chunk: "other" },
      { attempt: 2, number: 1, chunk: "A1" },
    ]);
    await reader.readAll();
    await write(runs, await again(runs), [{ attempt: 2, number: 1, chunk: "B1" }]);
    expect(await reader.readAll()).toEqual(["other", "B1"]);
  });

  it("leaves a reader that reconnects at every chunk, through a kill at every chunk, with the journaled answer", async () => {
    const { runs, runId } = await shareRun("every");
    const readers = [new Reader(runs, runId), new Reader(runs, runId), new Reader(runs, runId)];
    const length = 6;
    // The call is killed after 0, 1, … chunks; the last one finishes.
    for (let kill = 0; kill <= length; kill += 1) {
      const delivery = kill === 0 ? await runs.receiveOne() : await again(runs);
      for (let n = 1; n <= kill; n += 1) {
        await write(runs, delivery, [
          { number: n, chunk: `${kill}:${n}` },
          { step: "", attempt: 0, number: n, chunk: `body ${kill}:${n}` },
        ]);
        await readers[0]?.read(1);
        if (n % 2 === 0) await readers[1]?.read(1);
      }
      if (kill > 0) await readers[2]?.read(kill);
      if (kill === length) await write(runs, delivery, [], [{ name: "ask" }], "complete");
    }
    const numbers = Array.from({ length }, (_, n) => `${length}:${n + 1}`);
    const expected = numbers.flatMap((each) => [each, `body ${each}`]);
    expect(await new Reader(runs, runId).readAll()).toEqual(expected);
    for (const reader of readers) {
      const found = await reader.readAll();
      expect(found.filter((chunk) => !String(chunk).startsWith("body"))).toEqual(numbers);
      expect(new Set(found)).toEqual(new Set(expected));
      expect(found).toHaveLength(expected.length);
    }
    expect(await runs.violations()).toEqual([]);
  });
});

describe("an attempt after one that failed", () => {
  it("supersedes what that one wrote, in the same delivery and in another", async () => {
    const { runs, runId } = await shareRun("attempts");
    const reader = new Reader(runs, runId);
    const first = await runs.receiveOne();
    await write(runs, first, [
      { number: 1, chunk: "A1" },
      { number: 2, chunk: "A2" },
    ]);
    await reader.readAll();
    await write(runs, first, [{ attempt: 2, number: 1, chunk: "B1" }]);
    await write(runs, first, [{ attempt: 2, number: 2, chunk: "B2" }]);
    expect(await reader.readAll()).toEqual(["B1", "B2"]);
    await write(runs, await again(runs), [{ attempt: 3, number: 1, chunk: "C1" }]);
    expect(await reader.readAll()).toEqual(["C1"]);
    expect(reader.resets).toBe(2);
    const late = new Reader(runs, runId);
    expect([await late.readAll(), late.resets]).toEqual([["C1"], 0]);
    expect(await runs.violations()).toEqual([]);
  });

  it("takes back what that one wrote when it is journaled without a chunk", async () => {
    const { runs, runId } = await shareRun("mute");
    const reader = new Reader(runs, runId);
    const delivery = await runs.receiveOne();
    await write(runs, delivery, [{ number: 1, chunk: "A1" }]);
    expect(await reader.readAll()).toEqual(["A1"]);
    await write(runs, delivery, [], [{ name: "ask", attempts: 2 }], "complete");
    expect(await reader.readAll()).toEqual([]);
  });

  it("leaves its worker the lease, though a chunk that the worker knows is gone", async () => {
    const runs = await shareRuns("witness");
    await runs.start();
    const { receipt, ...rest } = await runs.receiveOne();
    await write(runs, { receipt, ...rest }, [{ number: 1, chunk: "A1" }]);
    await write(runs, { receipt, ...rest }, [{ attempt: 2, number: 1, chunk: "B1" }]);
    const beat = (attempt: number): Promise<unknown[]> =>
      runs.database.query(
        "select * from queue.workflow_heartbeat(array[$1::bigint], 60, known => array[$2::jsonb])",
        [receipt, JSON.stringify({ chunk: { step: "ask", attempt, number: 1 } })],
      );
    expect([await beat(1), await beat(2)]).toEqual([[], []]);
    expect(await beat(3)).toMatchObject([{ receipt, outcome: "lost" }]);
  });
});

describe("a step.tx", () => {
  const commitTx = (runs: Runs, delivery: Delivery, attempts: number, chunks?: readonly string[]) =>
    runs.database.query(
      "select queue.workflow_commit_tx($1, $2, 'ask', attempts => $3, stream_chunks => $4::jsonb[]) as outcome",
      [
        delivery.run_id,
        delivery.receipt,
        attempts,
        chunks?.map((chunk) => JSON.stringify(chunk)) ?? null,
      ],
    );

  it("writes its chunks when it is journaled, once, after those of the body", async () => {
    const { runs, runId } = await shareRun("tx");
    const delivery = await runs.receiveOne();
    await write(runs, delivery, [{ step: "", attempt: 0, number: 1, chunk: "body" }]);
    expect(await commitTx(runs, delivery, 1, ["A1", "A2"])).toEqual([{ outcome: "ok" }]);
    expect(await commitTx(runs, delivery, 1, ["A1", "A2"])).toEqual([{ outcome: "repeated" }]);
    const reader = new Reader(runs, runId);
    expect(await reader.readAll()).toEqual(["body", "A1", "A2"]);
    expect(reader.chunks.at(-1)).toMatchObject({ step: "ask", attempt: 1 });
    expect(await runs.violations()).toEqual([]);
  });

  it.each([[["B1"]], [undefined]])(
    "takes back what an earlier call of the step has left, with chunks %j",
    async (chunks) => {
      const { runs, runId } = await shareRun(`tx-${chunks?.length ?? 0}`);
      const delivery = await runs.receiveOne();
      await write(runs, delivery, [{ number: 1, chunk: "A1" }]);
      const reader = new Reader(runs, runId);
      await reader.readAll();
      expect(await commitTx(runs, delivery, 2, chunks)).toEqual([{ outcome: "ok" }]);
      expect(await reader.readAll()).toEqual(chunks ?? []);
    },
  );
});

it("a body that is replayed keeps the chunks that it writes again, up to the first one that differs", async () => {
  const { runs, runId } = await shareRun("body");
  const reader = new Reader(runs, runId);
  const body = (...chunks: readonly string[]): Written[] =>
    chunks.map((chunk, n) => ({ step: "", attempt: 0, number: n + 1, chunk }));
  await write(runs, await runs.receiveOne(), body("a", "b", "c"));
  await reader.readAll();
  await write(runs, await again(runs), body("a", "b", "c", "d"));
  expect(await reader.readAll()).toEqual(["a", "b", "c", "d"]);
  expect(reader.resets).toBe(0);
  await write(runs, await again(runs), body("a", "x"));
  expect(await reader.readAll()).toEqual(["a", "x"]);
  await write(runs, await again(runs), body("a", "x", "y"));
  expect(await reader.readAll()).toEqual(["a", "x", "y"]);
  await write(runs, await again(runs), body("z"));
  expect(await reader.readAll()).toEqual(["z"]);
  expect(await new Reader(runs, runId).readAll()).toEqual(["z"]);
  expect(reader.resets).toBe(2);
});

it("a retry of the run reports to readers what it takes out of the stream", async () => {
  const { runs, runId } = await shareRun("retried");
  const reader = new Reader(runs, runId);
  const delivery = await runs.receiveOne();
  await write(runs, delivery, [{ number: 1, chunk: "A1" }]);
  await runs.commit([
    { delivery, transition: "fail", result: { name: "Error", message: "cut", code: "ERROR" } },
  ]);
  expect(await reader.readAll()).toEqual(["A1"]);
  await runs.database.query("select queue.workflow_retry($1)", [runId]);
  await write(
    runs,
    await runs.receiveOne(),
    [{ number: 1, chunk: "B1" }],
    [{ name: "ask" }],
    "complete",
  );
  expect(await reader.readAll()).toEqual(["B1"]);
});

it("a page of chunks that is too large is refused by the name of its argument", async () => {
  const { database } = await shareRuns("paged");
  await expect(
    database.query("select * from queue.workflow_stream(1, max_chunks => 10001)"),
  ).rejects.toMatchObject({
    code: "OX004",
    message: "invalid max_chunks 10001",
    hint: "Request between 1 and 10000 chunks at a time.",
  });
});
