import { describe, expect, it } from "vitest";
import { InvalidName } from "./errors.ts";
import { checkEventName, checkScheduleName, checkStepName, checkWorkflowName } from "./names.ts";

describe("a workflow name", () => {
  it.each(["a", "9", "onboard-user", "a_b", "a".repeat(43)])("may be %s", (name) => {
    expect(() => checkWorkflowName(name)).not.toThrow();
  });

  it.each(["", "-a", "_a", "a.b", "ä", "a\n", "a".repeat(44), 1, null, undefined])(
    "may not be %j",
    (name) => {
      expect(() => checkWorkflowName(name)).toThrow(InvalidName);
    },
  );

  it.each([
    ["onboardUser", "onboard-user"],
    ["Send Welcome Email", "send-welcome-email"],
    ["orders/created", "orders-created"],
    ["_Überweisung!", "uberweisung"],
    ["sendV2Mail", "send-v2-mail"],
    ["a".repeat(60), "a".repeat(43)],
  ])("like %s is refused with the one to write", (name, better) => {
    expect(() => checkWorkflowName(name)).toThrow(
      `the first a letter or digit. Write "${better}".`,
    );
    expect(() => checkWorkflowName(better)).not.toThrow();
  });

  it("of which nothing could be kept is refused with only the rule", () => {
    expect(() => checkWorkflowName("👋")).toThrow(/the first a letter or digit\.$/);
  });
});

describe.each([
  ["step", checkStepName],
  ["event", checkEventName],
  ["schedule", checkScheduleName],
])("a name of a %s", (kind, check: (name: unknown) => void) => {
  it.each([
    "a",
    "A.b-c_9",
    ".",
    "fetch-New York",
    "Send Welcome Email",
    "mail: ada@example.com",
    "a/b",
    "über",
    "👋",
    "x".repeat(256),
    "👋".repeat(256),
  ])("may be %s", (name) => {
    expect(() => check(name)).not.toThrow();
  });

  it.each([
    "",
    " a",
    "a ",
    "a\n",
    "a\u0000",
    "\u009B",
    "x".repeat(257),
    "x".repeat(512),
    "\uD800",
    1,
    null,
  ])("may not be %j", (name) => {
    expect(() => check(name)).toThrow(InvalidName);
  });

  it("is named when it is refused, with the rule", () => {
    expect(() => check("a\tb")).toThrow(
      `Invalid ${kind} name "a\tb": ${kind === "event" ? "an" : "a"} ${kind} name is 1 to 256 characters without control characters that neither begin nor end with a space.`,
    );
  });
});

it("a step may not take the name of a rollback, or of a patch", () => {
  for (const name of ["rollback:pay", "patched:new-tax"]) {
    expect(() => checkStepName(name)).toThrow(/doesn't begin with "rollback:" or "patched:"/);
    expect(() => checkEventName(name)).not.toThrow();
  }
});
