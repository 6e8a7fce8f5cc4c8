import { describe, expect, it } from "vitest";
import { InvalidName } from "./errors.ts";
import { checkEventName, checkStepName, checkWorkflowName } from "./names.ts";

describe("a workflow name", () => {
  it.each(["a", "9", "onboard-user", "a_b", "a".repeat(43)])("may be %s", (name) => {
    expect(() => checkWorkflowName(name)).not.toThrow();
  });

  it.each([
    "",
    "-a",
    "_a",
    "Onboard",
    "a b",
    "a.b",
    "ä",
    "a\n",
    "a".repeat(44),
    1,
    null,
    undefined,
  ])("may not be %j", (name) => {
    expect(() => checkWorkflowName(name)).toThrow(InvalidName);
  });
});

describe.each([
  ["step", checkStepName],
  ["event", checkEventName],
])("a name of a %s", (kind, check: (name: unknown) => void) => {
  it.each(["a", "A.b-c_9", ".", "x".repeat(128)])("may be %s", (name) => {
    expect(() => check(name)).not.toThrow();
  });

  it.each(["", "a b", "a/b", "ü", "a\n", "x".repeat(129), 1, null])("may not be %j", (name) => {
    expect(() => check(name)).toThrow(InvalidName);
  });

  it("is named when it is refused, with the rule", () => {
    expect(() => check("a b")).toThrow(
      `Invalid ${kind} name "a b": a ${kind} name is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-".`,
    );
  });
});
