import { expect, it } from "vitest";
import { describeFailure } from "./failure.ts";
import { makeProgram } from "./program.ts";

it("advice that the database gives in SQL is given in commands, which exist", () => {
  const told = [
    'Queue "orders" does not exist. Create it with queue.create_queue(), or list queues with queue.list_queues().',
    "End the subscription first, with queue.unsubscribe().",
    "Use send() and receive().",
    "Use the workflow functions instead: workflow_start(), workflow_signal(), workflow_cancel().",
    "Repeat it with workflow_rerun(), which needs no key.",
    "Check the name with schedule_list().",
    "Approve or reject the request; approval_list() lists those of the run.",
    "Call queue.migrate(). An upgrade of the extension replaces functions only.",
  ].map((message) => describeFailure(new Error(message)));
  expect(told[0]).toBe(
    'Queue "orders" does not exist. Create it with `oxbow queues create`, or list queues with `oxbow queues list`.',
  );
  expect(told.join(" ")).not.toMatch(/\(\)/);
  const commands = told.flatMap((text) =>
    [...text.matchAll(/`oxbow ([^`]+)`/g)].map(([, words = ""]) => words.split(" ")),
  );
  for (const [noun, verb] of commands) {
    const found = makeProgram().commands.find((command) => command.name() === noun);
    expect(found?.name()).toBe(noun);
    const verbs = found?.commands.map((command) => command.name()) ?? [];
    expect(verb === undefined ? [undefined] : verbs).toContain(verb);
  }
});

it("other calls stay as they are, and so do words that only look like them", () => {
  const message = "Grant it with queue.grant_queue('orders', 'shop', 'send').";
  expect(describeFailure(new Error(message))).toBe(message);
  expect(describeFailure(new Error("resend() failed"))).toBe("resend() failed.");
});
