/** The filters of the list of runs, as its address has them, and the conditions of the API that they mean. */
// A file of the server that loads nothing.
import { RUN_ACTIVITIES, RUN_STATUSES } from "../../../../server/src/run-states.ts";
import type { Conditions } from "../../api/runs.ts";
import { parseContainment } from "../../format/containment.ts";

export const SINCE = {
  "1h": { title: "in the last hour", ms: 3_600_000 },
  "1d": { title: "in the last day", ms: 86_400_000 },
  "7d": { title: "in the last week", ms: 604_800_000 },
} as const;

const NAMES = [
  "workflow",
  "version",
  "status",
  "activity",
  "since",
  "from",
  "to",
  "ended",
  "tags",
  "input",
  "error",
  "message",
  "key",
  "parent",
  "schedule",
  "before",
] as const;

/** All are text; which text is understood is checked when the runs are searched. */
export type RunsSearch = {
  readonly [Name in (typeof NAMES)[number]]?: string | undefined;
};

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
}

/**
 * @throws Error with the filter that can't be read, and what to write instead.
 */
export function conditionsOf(search: RunsSearch, now: number): Conditions {
  const { workflow, version, status, activity, since, from, to, ended } = search;
  const { input, error, message, key, parent } = search;
  const tags = toTags(search);
  return {
    ...(workflow === undefined ? {} : { name: workflow }),
    ...(version === undefined ? {} : { version: toVersion(version) }),
    ...toStatus(status),
    ...(activity === undefined ? {} : { activity: toActivity(activity) }),
    ...(since === undefined ? {} : { startedAfter: toStart(since, now) }),
    ...(from === undefined ? {} : { startedAfter: toInstant(from) }),
    ...(to === undefined ? {} : { startedBefore: toInstant(to) }),
    ...(ended === undefined ? {} : { completedAfter: toStart(ended, now) }),
    ...(tags === undefined ? {} : { tags }),
    ...(input === undefined ? {} : { input: parseContainment(input, "the input") }),
    ...(error === undefined ? {} : { errorCode: error }),
    ...(message === undefined ? {} : { errorText: message }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(parent === undefined ? {} : { parent: toRunId(parent) }),
  };
}

/** Runs of a schedule have a tag of it. */
function toTags({ tags, schedule }: RunsSearch): unknown {
  const given = tags === undefined ? undefined : parseContainment(tags, "tags");
  if (schedule === undefined) return given;
  return { ...(given as object | undefined), schedule };
}

function toRunId(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text;
  throw new Error(`"${text}" is no run id: write its digits.`);
}

function toActivity(text: string): NonNullable<Conditions["activity"]> {
  const activities = RUN_ACTIVITIES.filter((one) => text.split(",").includes(one));
  if (activities.length > 0) return activities;
  throw new Error(`"${text}" is no activity: use ${RUN_ACTIVITIES.join(", ")}.`);
}

function toVersion(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is no version: write a whole number from 1.`);
}

function toStatus(text: string | undefined): Pick<Conditions, "paused" | "status"> {
  if (text === undefined) return {};
  if (text === "paused") return { paused: true };
  const status = RUN_STATUSES.filter((one) => text.split(",").includes(one));
  if (status.length > 0) return { status };
  throw new Error(`"${text}" is no status: use ${RUN_STATUSES.join(", ")} or paused.`);
}

/** To the minute, so that the same filters remain the same query. */
function toStart(since: string, now: number): string {
  const choice = SINCE[since as keyof typeof SINCE] as (typeof SINCE)["1h"] | undefined;
  if (choice === undefined) {
    throw new Error(`"${since}" is no time: use ${Object.keys(SINCE).join(", ")}.`);
  }
  return new Date(Math.floor((now - choice.ms) / 60_000) * 60_000).toISOString();
}

function toInstant(text: string): string {
  const at = new Date(text);
  // `Date` takes 30 February for 2 March.
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (!Number.isNaN(at.getTime()) && (day === "" || new Date(day).toISOString().startsWith(day)))
    return at.toISOString();
  throw new Error(`"${text}" is no time: write it as 2026-05-01T12:00.`);
}
