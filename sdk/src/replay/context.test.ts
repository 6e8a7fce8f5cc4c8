import { expect, it } from "vitest";
import type { Context, Logger } from "../definition/context.ts";
import { completion, Drive, failure, ran, T0 } from "./simulation/drive.ts";
import { schemaOf } from "./simulation/schema.ts";

const nothing = (): unknown => undefined;

function collector(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push(`${level} ${message}${fields === undefined ? "" : ` ${JSON.stringify(fields)}`}`);
  };
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, lines };
}

it("the context describes the run, and is frozen", async () => {
  let seen: Context | undefined;
  const run = new Drive((ctx) => void (seen = ctx), { attempt: 2 });
  await run.poll();
  expect(seen).toMatchObject({ runId: "42", attempt: 2, version: 3, startedAt: new Date(T0) });
  expect(seen?.signal).toBe(run.abort.signal);
  expect(Object.isFrozen(seen)).toBe(true);
  expect(Object.isFrozen(seen?.step)).toBe(true);
});

const chatty = async ({ step, logger }: Context): Promise<void> => {
  logger.info("begin");
  await step.run("a", nothing);
  logger.warn("middle", { n: 1 });
  await step.run("b", nothing);
  logger.error("end");
};

it("the logger writes lines of the first execution", async () => {
  const { logger, lines } = collector();
  await new Drive(chatty, { logger }).finish();
  expect(lines).toEqual(["info begin", 'warn middle {"n":1}', "error end"]);
});

it("the logger is silent until the journal has been replayed", async () => {
  const { logger, lines } = collector();
  await new Drive(chatty, { logger, journal: [ran("a")] }).finish();
  expect(lines).toEqual(['warn middle {"n":1}', "error end"]);
});

it("the logger stays silent when a run wakes up, until its sleep is over", async () => {
  const { logger, lines } = collector();
  const body = async ({ step, logger: log }: Context): Promise<void> => {
    log.info("asleep soon");
    await step.sleep("nap", 1_000);
    log.info("awake");
  };
  const first = new Drive(body, { logger });
  const turn = await first.poll();
  const transition = turn.commit?.transition;
  if (transition?.kind !== "suspend") throw new Error("not suspended");
  await new Drive(body, { logger, now: T0 + 1_000, continuation: transition.continuation }).poll();
  expect(lines).toEqual(["info asleep soon", "info awake"]);
});

it("the input is what its schema makes of it", async () => {
  const input = schemaOf((value) => ({ value: { email: String(value).toLowerCase() } }));
  const run = new Drive((_, given) => given, { input: "A@B.C", workflow: { input } });
  expect(completion(await run.poll())).toEqual({ email: "a@b.c" });
});

it("an input that doesn't pass its schema fails the run", async () => {
  const input = schemaOf(() => ({ issues: [{ message: "must be an e-mail", path: ["email"] }] }));
  const run = new Drive(() => "unreachable", { workflow: { input } });
  expect(failure(await run.poll())).toMatchObject({
    code: "VALIDATION_FAILED",
    message: 'Invalid input of workflow "driven": $.email: must be an e-mail',
  });
});
