/** Exceptions of user code that the worker calls outside of callbacks, and thrown values that can't be read. */
import { setTimeout } from "node:timers/promises";
import { type Codec, createWorkflowClient } from "@oxbow/sdk";
import { type Logger, type Workflow, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { silent } from "../helpers/silent-logger.ts";
import { isThroughServer } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

/** A transaction of a step needs a direct connection. */
const kinds = (["run", "tx"] as const).filter((kind) => kind === "run" || !isThroughServer);
const ONCE = { retry: { attempts: 1 } } as const;

/** Every operation on it throws, `instanceof` included. */
function revoked(): Error {
  const { proxy, revoke } = Proxy.revocable(new Error(), {});
  revoke();
  return proxy;
}

const failureOf = async (served: Workflow): Promise<unknown> => {
  bench.serve([served], { logger: silent });
  const run = await bench.client.start(served.name, {});
  return run.result({ timeout: "60s" }).catch((error: unknown) => error);
};

describe("a codec", () => {
  const codec: Codec = {
    encode: (plain) => ({ sealed: plain }),
    decode: (data) => (data as { sealed: unknown } | undefined)?.sealed,
  };
  const locked: Codec = {
    ...codec,
    decode: () => {
      throw new Error("the key is missing");
    },
  };

  it("that can't decode gives runs back with its reason, uncounted, to workers that can", async () => {
    const client = createWorkflowClient({ ...bench.connection, codec });
    atFileEnd(() => client.close());
    const sealed = workflow({
      name: "sealed",
      run: (_ctx, input: string) => Promise.resolve(`${input}!`),
    });
    const without = bench.serve([sealed], { codec: locked, logger: silent });
    const troubles: string[] = [];
    without.events.on("trouble", ({ doing }) => void troubles.push(doing));
    const run = await client.start(sealed, "open");
    const found = await eventually(
      () => client.runs.explain(run.runId),
      (explanation) => explanation?.summary.startsWith("Workers gave the run back") ?? false,
    );
    expect(found).toMatchObject({
      cause: "no_worker",
      summary: "Workers gave the run back once, the last time because: the key is missing.",
      remedy: expect.stringContaining("codec"),
    });
    expect(troubles).toContain(
      'executing workflow "sealed" in version 1, whose runs are given back',
    );
    const deliveries = "select read_ct from queue.workflow_continuation where msg_id = $1";
    expect(await bench.database.query(deliveries, [run.runId])).toEqual([{ read_ct: 0 }]);
    await without.stop();
    bench.serve([sealed], { codec });
    expect(await run.result({ timeout: "60s" })).toBe("open!");
    expect(await bench.violations()).toEqual([]);
  });

  it.each(kinds)(
    "that can't decode what it has encoded fails the step.%s, before it is journaled",
    async (kind) => {
      let calls = 0;
      const picky: Codec = {
        ...codec,
        decode: (data) => {
          const { sealed } = data as { sealed: unknown };
          if (sealed === "odd") throw new Error("decodes nothing odd");
          return sealed;
        },
      };
      const odd = workflow({
        name: `odd-${kind}`,
        run: ({ step }) => {
          const callback = (): string => {
            calls += 1;
            return "odd";
          };
          return kind === "run" ? step.run("a", callback, ONCE) : step.tx("a", callback, ONCE);
        },
      });
      const client = createWorkflowClient({ ...bench.connection, codec });
      atFileEnd(() => client.close());
      bench.serve([odd], { codec: picky, logger: silent });
      const run = await client.start(odd, {});
      const failure: unknown = await run
        .result({ timeout: "60s" })
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ cause: { cause: { message: "decodes nothing odd" } } });
      expect(calls).toBe(1);
    },
  );
});

describe("a thrown value that can't be read", () => {
  const UNREADABLE = { message: "the thrown value can't be read: its properties throw" };

  const bodies: [string, (count: () => never) => Parameters<typeof workflow>[0]["run"]][] = [
    [
      "run",
      (fail) =>
        ({ step }) =>
          step.run("a", fail, ONCE),
    ],
    [
      "async",
      (fail) =>
        ({ step }) =>
          step.run("a", () => Promise.resolve().then(fail), ONCE),
    ],
    [
      "timed",
      (fail) =>
        ({ step }) =>
          step.run("a", fail, { ...ONCE, timeout: "1m" }),
    ],
    [
      "tx",
      (fail) =>
        ({ step }) =>
          step.tx("a", fail, ONCE),
    ],
  ];
  it.each(bodies.filter(([kind]) => kind !== "tx" || !isThroughServer))(
    "fails the step that has used its attempts: %s",
    async (name, toBody) => {
      let calls = 0;
      const body = toBody(() => {
        calls += 1;
        throw revoked();
      });
      const failure = await failureOf(workflow({ name: `unreadable-${name}`, run: body }));
      expect(failure).toMatchObject({ cause: { code: "STEP_FAILED", cause: UNREADABLE } });
      expect(calls).toBe(1);
    },
  );

  it("fails the run whose body threw it", async () => {
    const thrower = workflow({
      name: "unreadable-body",
      run: () => Promise.reject(revoked()),
    });
    expect(await failureOf(thrower)).toMatchObject({ cause: UNREADABLE });
  });

  it("fails the rollback that threw it, and the other rollbacks continue", async () => {
    const undone: string[] = [];
    const thrower = workflow({
      name: "unreadable-rollback",
      run: async ({ step }) => {
        await step.run("first", () => 1, { rollback: () => void undone.push("first") });
        await step.run("second", () => 2, {
          ...ONCE,
          rollback: () => {
            undone.push("second");
            throw revoked();
          },
        });
        throw new Error("turn back");
      },
    });
    const failure = await failureOf(thrower);
    expect(failure).toMatchObject({
      cause: { code: "ROLLBACK_FAILED", message: expect.stringContaining(UNREADABLE.message) },
    });
    expect(undone).toEqual(["second", "first"]);
  });
});

it.each([
  {
    fails: "throws",
    name: "talks-to-thrower",
    write: (): never => {
      throw revoked();
    },
  },
  // Its type returns nothing, and an async function has that type.
  {
    fails: "returns a rejected promise",
    name: "talks-to-rejecter",
    write: () => Promise.reject(new Error("unreachable")),
  },
])("a logger that $fails fails no run", async ({ name, write }) => {
  const talkative = workflow({
    name,
    run: async ({ logger, step }) => {
      logger.info("begins");
      const flaky = step.run(
        "flaky",
        () => {
          logger.warn("called");
          throw new Error("This failure is logged.");
        },
        ONCE,
      );
      await flaky.catch(() => {});
      // A rejection that nothing handles is noticed meanwhile.
      await step.run("breathe", () => setTimeout(20));
      return "done";
    },
  });
  const logger = { debug: write, info: write, warn: write, error: write } as unknown as Logger;
  bench.serve([talkative], { logger });
  const run = await bench.client.start(talkative, undefined);
  expect(await run.result({ timeout: "60s" })).toBe("done");
});
