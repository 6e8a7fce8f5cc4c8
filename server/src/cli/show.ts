/** Formats values for people. */
import type { ErrorRecord } from "@oxbow/sdk";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration in its two largest units: "12ms", "4.2s", "5m 2s", "3h 4m", "2d 3h". */
export function showDuration(durationMs: number | null | undefined): string {
  if (durationMs === null || durationMs === undefined) return "";
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < SECOND) return `${ms}ms`;
  if (ms < MINUTE) return `${Number((ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0))}s`;
  if (ms < HOUR) return two(ms, MINUTE, "m", SECOND, "s");
  if (ms < DAY) return two(ms, HOUR, "h", MINUTE, "m");
  return two(ms, DAY, "d", HOUR, "h");
}

function two(ms: number, large: number, one: string, small: number, other: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${one}${rest === 0 ? "" : ` ${rest}${other}`}`;
}

/** To the second, in UTC: "2026-11-21 07:51:02Z". */
export const showTime = (time: Date | null | undefined): string =>
  time === null || time === undefined
    ? ""
    : `${time.toISOString().slice(0, 19).replace("T", " ")}Z`;

/** From one time to another; empty before it. */
export const showTook = (from: Date, to: Date | null): string =>
  to === null ? "" : showDuration(to.getTime() - from.getTime());

export const showSince = (time: Date, now: number): string => {
  const ms = now - time.getTime();
  return ms >= 0 ? `${showDuration(ms)} ago` : `in ${showDuration(-ms)}`;
};

/** JSON on one line, cut to a length. */
export function showJson(value: unknown, most = 200): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

export const showError = (error: ErrorRecord | null): string =>
  error === null ? "" : firstLine(`${error.name}: ${error.message}`);

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** `tenant=7 plan:={"a":1}`, in the format of `--tag`. */
export function showTags(tags: unknown): string {
  if (typeof tags !== "object" || tags === null) return "";
  return Object.entries(tags)
    .map(([key, value]) =>
      typeof value === "string" ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
    )
    .join(" ");
}

/** "1 run", "2 runs". */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The workflows and definitions of a worker. */
export const servedNames = ({
  workflows,
  pools,
}: {
  readonly workflows: readonly { readonly name: string; readonly version: number }[];
  readonly pools: readonly string[];
}): string =>
  [...workflows.map(nameOf), ...pools.map((pool) => `definitions of pool ${pool}`)].join(", ");

export const nameOf = ({ name, version }: { name: string; version: number | null }): string =>
  version === 1 || version === null ? name : `${name}@${version}`;
