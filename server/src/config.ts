/** The environment, read in one place. */
import { parseTokens, type Token } from "./http/auth.ts";

/** Url of the database: the one that is given, else `DATABASE_URL`, else `QUEUE_URL`. */
export function databaseUrl(given: string | undefined): string {
  const url = [given, process.env["DATABASE_URL"], process.env["QUEUE_URL"]].find(
    (candidate) => candidate !== undefined && candidate !== "",
  );
  if (url !== undefined) return url;
  throw new Error("No database: give --url postgres://..., or set DATABASE_URL or QUEUE_URL.");
}

export interface ServerConfig {
  readonly port: number;
  readonly host: string | undefined;
  readonly tokens: readonly Token[];
  readonly maxRetentionDays: number;
  /** 0: this server doesn't sweep. */
  readonly sweepIntervalMs: number;
}

/**
 * What the environment says of the server: `PORT` (8080), `HOST`, `OXBOW_TOKENS`, `WORKFLOWS_MAX_RETENTION_DAYS` (365)
 * and `WORKFLOWS_SWEEPER_INTERVAL_MS` (300000; 0 turns the sweeper off).
 *
 * @throws Error naming the variable and what it says.
 */
export function serverConfig(): ServerConfig {
  const host = process.env["HOST"];
  return {
    port: wholeNumber("PORT", 8_080, 65_535),
    host: host === "" ? undefined : host,
    tokens: parseTokens(process.env["OXBOW_TOKENS"] ?? ""),
    maxRetentionDays: wholeNumber("WORKFLOWS_MAX_RETENTION_DAYS", 365, 36_525),
    sweepIntervalMs: wholeNumber("WORKFLOWS_SWEEPER_INTERVAL_MS", 300_000, 2_147_483_647),
  };
}

function wholeNumber(name: string, fallback: number, most: number): number {
  const text = process.env[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new Error(`Invalid ${name} "${text.slice(0, 40)}": give a whole number from 0 to ${most}.`);
}
