import { InvalidName } from "./errors.ts";

const WORKFLOW_NAME = /^[a-z0-9][a-z0-9_-]{0,42}$/;
const STEP_OR_EVENT_NAME = /^[a-zA-Z0-9._-]{1,128}$/;

/** @throws InvalidName unless it is 1 to 43 characters of a-z, 0-9, "_" and "-", the first a letter or digit. */
export function checkWorkflowName(name: unknown): asserts name is string {
  check(
    "workflow",
    name,
    WORKFLOW_NAME,
    '1 to 43 characters of a-z, 0-9, "_" and "-", the first a letter or digit',
  );
}

/** @throws InvalidName unless it is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-". */
export function checkStepName(name: unknown): asserts name is string {
  check("step", name, STEP_OR_EVENT_NAME, '1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"');
}

/** @throws InvalidName unless it is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-". */
export function checkScheduleName(name: unknown): asserts name is string {
  check(
    "schedule",
    name,
    STEP_OR_EVENT_NAME,
    '1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
  );
}

/** @throws InvalidName unless it is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-". */
export function checkEventName(name: unknown): asserts name is string {
  check(
    "event",
    name,
    STEP_OR_EVENT_NAME,
    '1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"',
  );
}

/** @throws InvalidName unless it is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-". */
export function checkStateKey(key: unknown): asserts key is string {
  check("key", key, STEP_OR_EVENT_NAME, '1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-"');
}

function check(kind: string, name: unknown, rule: RegExp, ruleInWords: string): void {
  if (typeof name === "string" && rule.test(name)) return;
  const shown = typeof name === "string" ? `"${name.slice(0, 140)}"` : String(name);
  throw new InvalidName(`Invalid ${kind} name ${shown}: a ${kind} name is ${ruleInWords}.`, {
    facts: { name },
  });
}
