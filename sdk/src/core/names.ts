import { withArticle } from "./article.ts";
import { InvalidName } from "./errors.ts";

/** Names of queues, views and channels contain it, which Postgres truncates to 63 bytes; urls do too. */
const WORKFLOW_NAME = /^[a-z0-9][a-z0-9_-]{0,42}$/;
const LONGEST_WORKFLOW_NAME = 43;
/** These names are only values. As in `queue._is_name()`, the length counts characters rather than UTF-16 units. */
const PLAIN_NAME = /^(?! )[^\p{Cc}\p{Cs}]{1,256}(?<! )$/u;
const PLAIN_RULE =
  "1 to 256 characters without control characters that neither begin nor end with a space";
/** Prefixes of internal steps. */
const OWN_STEPS = /^(?:rollback|patched):/;
const MOST_SHOWN = 260;
/** Workflows of Oxbow, whose input only Oxbow makes. `queue.definition_create()` and `queue._rerun_run()` have it, too. */
export const RESERVED_PREFIX = "oxbow-resources-";

/** @throws InvalidName unless it is 1 to 43 characters of a-z, 0-9, "_" and "-", the first a letter or digit. */
export function checkWorkflowName(name: unknown): asserts name is string {
  if (typeof name === "string" && WORKFLOW_NAME.test(name)) return;
  const better = typeof name === "string" ? toWorkflowName(name) : "";
  refuse(
    "workflow",
    name,
    `1 to ${LONGEST_WORKFLOW_NAME} characters of a-z, 0-9, "_" and "-", the first a letter or digit`,
    better === "" ? "" : ` Write "${better}".`,
  );
}

/** @throws InvalidName for the name of a workflow that users can't start. */
export function checkStartableName(name: string): void {
  if (!isReservedName(name)) return;
  throw new InvalidName(
    `Runs of "${name.slice(0, MOST_SHOWN)}" can't be started: names that begin with "${RESERVED_PREFIX}" are reserved for lists of resources. Call \`definitionsOf(client).resources.list()\`, or choose another name.`,
    { facts: { name } },
  );
}

/** Whether a name is that of a workflow of Oxbow. */
export const isReservedName = (name: string): boolean => name.startsWith(RESERVED_PREFIX);

/** @throws InvalidName unless it is 1 to 42 characters of a-z, 0-9, "_" and "-", the first a letter or digit. */
export function checkPoolName(name: unknown): asserts name is string {
  if (typeof name === "string" && WORKFLOW_NAME.test(name) && name.length < LONGEST_WORKFLOW_NAME)
    return;
  const rule = '1 to 42 characters of a-z, 0-9, "_" and "-", the first a letter or digit';
  refuse("pool", name, rule);
}

/** @throws InvalidName unless it is 1 to 256 characters, without control characters, and not the name of a rollback or a patch. */
export function checkStepName(name: unknown): asserts name is string {
  checkPlainName("step", name);
  if (!OWN_STEPS.test(name)) return;
  refuse("step", name, `${PLAIN_RULE}, and doesn't begin with "rollback:" or "patched:"`);
}

/** @throws InvalidName unless it is 1 to 256 characters, without control characters. */
export function checkScheduleName(name: unknown): asserts name is string {
  checkPlainName("schedule", name);
}

/** @throws InvalidName unless it is 1 to 256 characters, without control characters. */
export function checkEventName(name: unknown): asserts name is string {
  checkPlainName("event", name);
}

/** @throws InvalidName unless it is 1 to 256 characters, without control characters. */
export function checkPlainName(kind: string, name: unknown): asserts name is string {
  if (typeof name !== "string" || !PLAIN_NAME.test(name)) refuse(kind, name, PLAIN_RULE);
}

function refuse(kind: string, name: unknown, rule: string, advice = ""): never {
  const shown = typeof name === "string" ? `"${name.slice(0, MOST_SHOWN)}"` : String(name);
  throw new InvalidName(
    `Invalid ${kind} name ${shown}: ${withArticle(kind)} name is ${rule}.${advice}`,
    { facts: { name } },
  );
}

/** Suggests a valid name: `onboard-user` for `onboardUser` and `Onboard User!`; empty if no character is valid. */
function toWorkflowName(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, LONGEST_WORKFLOW_NAME)
    .replace(/-+$/, "");
}
