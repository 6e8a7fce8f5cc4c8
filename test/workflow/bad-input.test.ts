import {
  ConnectionFailed,
  createWorkflowClient,
  InvalidArgument,
  InvalidName,
  NotInstalled,
  RunNotFound,
  SchemaVersionMismatch,
  SerializationError,
} from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { isDirect } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const rejection = async (promise: Promise<unknown>): Promise<Error> => {
  const error = await promise.then(
    () => new Error("It did not reject."),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error : new Error(String(error));
};

const startAt = async (url: string): Promise<Error> => {
  const client = createWorkflowClient({ url });
  const error = await rejection(client.start("anything", {}));
  await client.close();
  return error;
};

describe.runIf(isDirect)("a database that can't be used", () => {
  it("because no url is given: refuses the client, or its calls where `next build` only evaluates modules", async () => {
    vi.stubEnv("QUEUE_URL", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => createWorkflowClient()).toThrow("No database: pass `url`");
    vi.stubEnv("NEXT_PHASE", "phase-production-build");
    const client = createWorkflowClient();
    const error = await rejection(client.start("anything", {}));
    await client.close();
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(error.message).toContain("no-url-in-next-build.invalid");
  });

  it("because Oxbow isn't installed: reports it, and what to run", async () => {
    const { url, name } = await createDatabase({ empty: true });
    const error = await startAt(url);
    expect(error).toBeInstanceOf(NotInstalled);
    expect(error.message).toContain(name);
    expect(error.message).toContain("oxbow migrate");
  });

  it("is why a worker ends, which it logs before `finished` rejects", async () => {
    const { url, name } = await createDatabase({ empty: true });
    const logged: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message: string) => void logged.push(message),
    };
    const worker = workflow({ name: "greet", run: () => 1 }).serve({ url, logger });
    const { message } = await rejection(worker.finished);
    expect(message).toContain(name);
    expect(logged).toContain(`oxbow: the worker has ended: ${message}`);
  });

  it("because nothing listens there: names the address, without the password", async () => {
    const error = await startAt("postgres://ada:secret@127.0.0.1:1/app");
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(error.message).toContain("127.0.0.1:1");
    expect(error.message).not.toContain("secret");
  });

  it("because it doesn't exist: names it", async () => {
    const url = new URL(bench.database.url);
    url.pathname = "no_such_database";
    const error = await startAt(url.href);
    expect(error).toBeInstanceOf(ConnectionFailed);
    expect(error.message).toContain("no_such_database");
  });

  it.each([
    [0, "oxbow migrate"],
    [2, "Upgrade this SDK"],
  ])("because it speaks protocol %i: names the side to upgrade", async (protocol, advice) => {
    const { url, query } = await createDatabase().then((database) => ({
      url: database.url,
      query: (text: string) => database.query(text),
    }));
    await query(
      `create or replace function queue.protocol_version() returns integer language sql as 'select ${protocol}'`,
    );
    const error = await startAt(url);
    expect(error).toBeInstanceOf(SchemaVersionMismatch);
    expect(error.message).toContain(advice);
  });

  it("because it is no database's url: names what was given", () => {
    expect(() => createWorkflowClient({ url: "mysql://somewhere" })).toThrow("mysql://some");
  });
});

describe("values that can't be journaled", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each([
    ["text with a null character", { a: ["\u0000"] }, "$.a[0]"],
    ["a bigint", { amount: 1n }, "$.amount"],
    ["a circle", circular, "$.self"],
  ])("%s as input are refused before anything is written", async (_what, input, path) => {
    const error = await rejection(bench.client.start("strict", input));
    expect(error).toBeInstanceOf(SerializationError);
    expect(error.message).toContain(path);
    expect(
      await bench.database.query("select where to_regclass('queue.q___wf_strict') is not null"),
    ).toEqual([]);
  });

  it("fail the step that returns them, without a second attempt", async () => {
    let calls = 0;
    const returning = workflow({
      name: "returning",
      run: (ctx) =>
        ctx.step.run("bad", () => {
          calls += 1;
          return { text: "\u0000" };
        }),
    });
    bench.serve([returning]);
    const run = await bench.client.start(returning, undefined);
    expect((await rejection(run.result({ timeout: "60s" }))).message).toContain("$.text");
    expect(calls).toBe(1);
  });

  it("are refused as the payload of a signal", async () => {
    const error = await rejection(bench.client.signal("1", "go", { text: "\u0000" }));
    expect(error).toBeInstanceOf(SerializationError);
  });
});

it("text with a null character in an option is refused by the name of the option", async () => {
  const refused = bench.client.start("strict", {}, { idempotencyKey: "a\u0000b" });
  expect((await rejection(refused)).message).toMatch(
    /invalid idempotency key "a\\u0000b": Postgres can't store the character U\+0000/,
  );
});

describe("names and ids", () => {
  it("of events have the right article in their errors", async () => {
    expect((await rejection(bench.client.signal("1", ""))).message).toContain("an event name is");
  });

  it.each(["", "Upper", "with space", "semi;colon", "a".repeat(44)])(
    "a workflow can't be named %j",
    async (name) => {
      expect(await rejection(bench.client.start(name, {}))).toBeInstanceOf(InvalidName);
      expect(() => workflow({ name, run: () => 1 })).toThrow(InvalidName);
    },
  );

  it("a run that doesn't exist is named", async () => {
    const error = await rejection(bench.client.signal("987654", "go"));
    expect(error).toBeInstanceOf(RunNotFound);
    expect(error.message).toContain("987654");
    expect(await rejection(bench.client.runs.get("any", "987654"))).toBeInstanceOf(RunNotFound);
  });

  it("an invalid run id is named", async () => {
    const error = await rejection(bench.client.runs.steps("1; drop table"));
    expect(error).toBeInstanceOf(InvalidArgument);
    expect(error.message).toContain("1; drop table");
  });
});

describe("a body", () => {
  it("that uses a step name twice fails with advice on naming steps in a loop", async () => {
    const looping = workflow({
      name: "looping",
      run: async (ctx) => {
        for (const n of [1, 2]) await ctx.step.run("item", () => n);
      },
    });
    bench.serve([looping]);
    const run = await bench.client.start(looping, undefined);
    const error = await rejection(run.result({ timeout: "60s" }));
    expect(error.message).toContain('"item"');
    expect(error.message).toContain("in a loop");
  });

  it("that departs from its journal fails, and both sides are named", async () => {
    const original = workflow({
      name: "changed",
      run: async (ctx) => {
        await ctx.step.run("charge", () => 1);
        await ctx.step.sleep("pause", 3_000);
      },
    });
    const first = bench.serve([original]);
    const run = await bench.client.start(original, undefined);
    await new Promise<void>((resolve) => {
      first.events.on("runSuspended", () => resolve());
    });
    await first.stop();
    let charges = 0;
    const renamed = workflow({
      name: "changed",
      run: async (ctx) => {
        await ctx.step.run("charge-card", () => {
          charges += 1;
        });
        await ctx.step.sleep("pause", 3_000);
      },
    });
    bench.serve([renamed]);
    const error = await rejection(run.result({ timeout: "60s" }));
    expect(error.message).toContain('"charge"');
    expect(error.message).toContain('"charge-card"');
    expect(charges).toBe(0);
    expect(await bench.violations()).toEqual([]);
  });
});
