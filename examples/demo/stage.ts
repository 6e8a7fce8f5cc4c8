/** What both demos stand on: they end whatever they started, also on Ctrl-C, and wait for conditions. */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { paint, say } from "./terminal.ts";

const EXTENSION_DIR = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));
export const PATIENCE_MS = 120_000;

type Undo = () => Promise<unknown>;
const undoing: Undo[] = [];
let isLeaving = false;

/** Performs a demo, ends all that it started, and sets the exit code: 0 only if it returns true. */
export async function perform(demo: () => Promise<boolean>): Promise<void> {
  process.on("SIGINT", () => void leave(130));
  process.on("SIGTERM", () => void leave(143));
  try {
    process.exitCode = (await demo()) ? 0 : 1;
  } catch (error) {
    // Failures during the teardown are not worth a message.
    if (isLeaving) await new Promise(() => {});
    say();
    say(paint("red", `The demo failed: ${error instanceof Error ? error.message : String(error)}`));
    process.exitCode = 1;
  }
  await undo();
}

/** Called at the end, the last one first. */
export function atEnd(step: Undo): void {
  undoing.push(step);
}

/** Starts a Postgres with Oxbow and the given tables. */
export async function startDatabase(tables: string): Promise<{ url: string; database: pg.Client }> {
  const cluster = await startPostgres({ extensionDir: EXTENSION_DIR });
  atEnd(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("demo");
  const database = new pg.Client({ connectionString: url });
  // The server goes first when the demo is interrupted.
  database.on("error", () => {});
  await database.connect();
  atEnd(() => database.end());
  await database.query(`create extension oxbow; ${tables}`);
  return { url, database };
}

export async function rowsOf<Row extends object>(
  database: pg.Client,
  query: string,
): Promise<Row[]> {
  const { rows } = await database.query<Row>(query);
  return rows;
}

export async function serverVersion(database: pg.Client): Promise<string> {
  const [row] = await rowsOf<{ version: string }>(database, "select version()");
  return /^PostgreSQL [\d.]+/.exec(row?.version ?? "")?.[0] ?? "PostgreSQL";
}

/** Asks again and again until there is an answer. */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(20);
  }
  throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}.`);
}

/** A sentence about what the database has to agree with. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** @param found - shown if the claim doesn't hold */
export function claim(text: string, holds: boolean, found = ""): Claim {
  return { text: holds || found === "" ? text : `${text} Found: ${found}`, holds };
}

/** Prints claims, and returns whether all hold. */
export function sayClaims(claims: readonly Claim[]): boolean {
  for (const { text, holds } of claims) {
    say(holds ? `${paint("green", "✔")} ${text}` : `${paint("red", "✘")} NOT TRUE: ${text}`);
  }
  return claims.every(({ holds }) => holds);
}

/** Takes back whatever was started, the last first. */
async function undo(): Promise<void> {
  for (let step = undoing.pop(); step !== undefined; step = undoing.pop()) {
    // A part that can't be stopped doesn't prevent the others from stopping.
    await step().catch(() => {});
  }
}

/** Ctrl-C may come twice: from the terminal, and from the process that started this one. */
async function leave(code: number): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  await undo();
  process.exit(code);
}
