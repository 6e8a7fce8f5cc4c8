/** Instants as text, in the zone that the user has chosen. */
import { duration } from "./duration.ts";

export type Zone = "local" | "UTC";

const DATE = { year: "numeric", month: "short", day: "numeric" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

const makeFormat = (zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", zone === "UTC" ? { ...options, timeZone: "UTC" } : options);

const formats = {
  local: { full: makeFormat("local", { ...DATE, ...CLOCK }), clock: makeFormat("local", CLOCK) },
  UTC: { full: makeFormat("UTC", { ...DATE, ...CLOCK }), clock: makeFormat("UTC", CLOCK) },
} as const;

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const fullTime = (at: Date, zone: Zone): string => formats[zone].full.format(at);

/** In a zone by its IANA name; a browser that doesn't know the zone shows UTC. */
export function fullTimeIn(at: Date, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      ...DATE,
      ...CLOCK,
      weekday: "short",
      timeZone,
    }).format(at);
  } catch {
    return `${fullTime(at, "UTC")} UTC`;
  }
}

export const clockTime = (at: Date, zone: Zone): string => formats[zone].clock.format(at);

export function relativeTime(at: Date, now: number): string {
  const exact = now - at.getTime();
  // Tenths of a second would change while they are read.
  const ms = Math.abs(exact) < 60_000 ? Math.round(exact / 1_000) * 1_000 : exact;
  if (ms === 0) return "now";
  return ms >= 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
}

/** For tooltips: the instant in both zones. */
export const bothTimes = (at: Date): string =>
  `${fullTime(at, "local")} ${localZone()}\n${fullTime(at, "UTC")} UTC`;
