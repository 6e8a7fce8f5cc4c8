/** Triggers that the clock or a webhook sets off: their members, and their events. */
import type { Trigger } from "../document/document.ts";
import { object } from "../nodes/descriptors/parameter-schemas.ts";
import type { TriggerDescription } from "./catalog.ts";
import { cronProblem } from "./cron.ts";

const TICK = object({ scheduled_at: { type: "string", format: "date-time" } }, ["scheduled_at"]);

const DELIVERY = object(
  {
    body: {},
    headers: { type: "object", additionalProperties: { type: "string" } },
    delivery_id: { type: ["string", "null"] },
  },
  ["body", "headers", "delivery_id"],
);

/** Events of triggers that need no type. */
export const BUILT_IN_TRIGGERS: ReadonlyMap<string, TriggerDescription> = new Map([
  ["schedule", { event: TICK }],
  ["webhook", { event: DELIVERY }],
]);

/** `INVALID_SCHEDULE` is an error; with the others, the trigger can be published. */
export interface SourceProblem {
  readonly code: "INVALID_SCHEDULE" | "NEVER_TICKS" | "UNUSED_MEMBER";
  /** Member of the trigger; undefined for the whole trigger. */
  readonly member?: string;
  readonly message: string;
  readonly hint: string;
}

const MEMBERS: ReadonlyMap<string, string> = new Map([
  ["cron", "schedule"],
  ["every", "schedule"],
  ["time_zone", "schedule"],
  ["verify", "webhook"],
  ["identical", "webhook"],
]);

/** Checks the members that specify when or by whom a trigger is set off. */
export function* sourceProblems(trigger: Trigger): Iterable<SourceProblem> {
  for (const [member, on] of MEMBERS) {
    if (trigger.on === on || !Object.hasOwn(trigger, member)) continue;
    const message = `${member} has no effect in a trigger on "${trigger.on}"`;
    yield { code: "UNUSED_MEMBER", member, message, hint: `Remove it: it is for "${on}".` };
  }
  if (trigger.on === "webhook" && trigger.identical !== undefined && trigger.verify !== "github") {
    const message =
      "identical has no effect, because the id of a delivery is signed, or given by the sender";
    const hint = 'Remove it: it is for "verify": "github".';
    yield { code: "UNUSED_MEMBER", member: "identical", message, hint };
  }
  if (trigger.on === "schedule") yield* scheduleProblems(trigger);
}

function* scheduleProblems({ cron, every, time_zone: zone }: Trigger): Iterable<SourceProblem> {
  const code = "INVALID_SCHEDULE";
  if ((cron === undefined) === (every === undefined)) {
    const message = "a schedule has either a cron expression or an interval";
    yield { code, message, hint: 'Set cron, such as "0 9 * * 1-5", or every, such as "1h".' };
    return;
  }
  const isKnownZone = zone === undefined || isTimeZone(zone);
  const wrong =
    cron === undefined ? undefined : cronProblem(cron, isKnownZone ? (zone ?? "UTC") : "UTC");
  if (wrong?.kind === "invalid") {
    const hint = 'Give minute, hour, day, month and weekday, such as "0 9 * * 1-5".';
    yield { code, member: "cron", message: wrong.message, hint };
  } else if (wrong !== undefined) {
    const hint = "Choose a day that its months have.";
    yield { code: "NEVER_TICKS", member: "cron", message: wrong.message, hint };
  }
  if (every !== undefined && !isInterval(every)) {
    const message = `an interval of "${every}" isn't whole seconds between 1 second and 10 years`;
    yield { code, member: "every", message, hint: 'Use one such as "30s", "15m", "1h" or "1d".' };
  }
  if (zone !== undefined && cron === undefined) {
    const hint = "Remove it, or use cron.";
    yield { code, member: "time_zone", message: "an interval has no time zone", hint };
  } else if (zone !== undefined && !isKnownZone) {
    const hint = "Use the IANA name of a time zone, such as Europe/Berlin.";
    yield { code, member: "time_zone", message: `there is no time zone "${zone}"`, hint };
  }
}

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};

function isInterval(every: string | number): boolean {
  const [, amount, unit] =
    /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d|w)\s*$/i.exec(
      typeof every === "number" ? `${every}ms` : every,
    ) ?? [];
  const ms = Math.round(Number(amount) * (SECONDS[unit?.toLowerCase() ?? ""] ?? 0) * 1_000);
  return ms >= 1_000 && ms <= 315_360_000_000 && ms % 1_000 === 0;
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
