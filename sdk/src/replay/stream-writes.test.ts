import { expect, it } from "vitest";
import { callInScope } from "../async/callback-scope.ts";
import { PLAIN } from "../core/codec.ts";
import type { Context } from "../definition/context.ts";
import { decide } from "./decisions.ts";
import { Journal } from "./journal.ts";
import { called, deciding, Drive, ran, slept } from "./simulation/drive.ts";
import { StreamWrites } from "./stream-writes.ts";

const RETRIED = { retry: { attempts: 2, backoff: { kind: "fixed", base: 0 } } } as const;

it("chunks are numbered for each writer, and taken once", () => {
  const writes = new StreamWrites(new Journal([]), PLAIN);
  writes.write("a", undefined, 0);
  writes.write("b", undefined, 0);
  writes.write("c", { runId: "42", step: "s", attempt: 2 }, 0);
  writes.write("d", undefined, 1);
  expect(writes.take()).toEqual([
    { step: "", attempt: 0, number: 1, value: '"a"' },
    { step: "", attempt: 0, number: 2, value: '"b"' },
    { step: "s", attempt: 2, number: 1, value: '"c"' },
    { step: "", attempt: 1, number: 1, value: '"d"' },
  ]);
  expect([writes.hasUnsent, writes.take()]).toEqual([false, []]);
});

it("a call drops what earlier calls of its step have not sent, and what they still write", () => {
  const writes = new StreamWrites(new Journal([]), PLAIN);
  const call = (attempt: number, step = "s") => ({ runId: "42", step, attempt });
  writes.write("late", call(1), 0);
  writes.write("other", call(1, "t"), 0);
  writes.callAgain("s", 2);
  writes.write("new", call(2), 0);
  writes.write("too late", call(1), 0);
  expect(writes.take().map(({ value }) => value)).toEqual(['"other"', '"new"']);
});

it("a call that has timed out writes nothing once its step is called again", async () => {
  const run = new Drive(({ step, stream }) => step.run("a", () => stream.write("late"), RETRIED));
  const [timedOut] = (await run.poll()).calls;
  await run.fail("a");
  expect(called(await run.commit())).toEqual(["a"]);
  void timedOut?.callback(run.abort.signal);
  expect((await run.succeed("a")).commit?.stream).toBeUndefined();
});

it("a replay leaves out chunks that were committed with a journaled step", async () => {
  const run = new Drive(
    async ({ step, stream }) => {
      stream.write("before");
      await step.run("a", () => {});
      stream.write("after");
      await step.run("b", () => {});
    },
    { journal: [ran("a")] },
  );
  const { commit } = await run.poll();
  expect(commit?.stream).toEqual([{ step: "", attempt: 1, number: 1, value: '"after"' }]);
});

it("a chunk has another identity after a row of decisions, also where the row is replayed", async () => {
  const body = async (ctx: Context): Promise<void> => {
    decide(ctx, "way", () => "left");
    ctx.stream.write("one");
    await ctx.step.sleep("nap", 1_000);
    ctx.stream.write("two");
  };
  const first = await new Drive(body).poll();
  expect(first.commit?.stream).toEqual([{ step: "", attempt: 0, number: 1, value: '"one"' }]);
  const row = { name: "way", kind: "decision" as const, attempts: 1 };
  const journal = [deciding(row, { way: "left" }), slept("nap")];
  const second = await new Drive(body, { journal }).poll();
  expect(second.commit?.stream).toEqual([{ step: "", attempt: 2, number: 1, value: '"two"' }]);
});

it("a chunk that a replay leaves out counts for the number of the next", () => {
  const journal = new Journal([ran("way", "left")]);
  const writes = new StreamWrites(journal, PLAIN);
  writes.write("one", undefined, 1);
  journal.advance();
  writes.write("two", undefined, 1);
  expect(writes.take()).toEqual([{ step: "", attempt: 1, number: 2, value: '"two"' }]);
});

it("a chunk of a callback names its call", async () => {
  const run = new Drive(({ step, stream }) =>
    step.run("a", () => {
      stream.write("chunk");
    }),
  );
  const [call] = (await run.poll()).calls;
  await callInScope({ runId: "42", step: "a", attempt: 1 }, () =>
    Promise.resolve(call?.callback(run.abort.signal)),
  );
  const { commit } = await run.poll();
  expect(commit?.stream).toMatchObject([{ step: "a", attempt: 1, number: 1 }]);
});
