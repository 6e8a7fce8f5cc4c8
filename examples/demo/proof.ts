/** The conditions that the database must meet after the demo. */
import type { TimedJournalEntry } from "@oxbow/sdk";
import type { Client } from "pg";
import { type Claim, claim, rowsOf } from "./stage.ts";

/** A row of `app.call`: one call of one callback. */
export interface Call {
  readonly step: string;
  readonly pid: number;
  readonly calledAt: Date;
  readonly returnedAt: Date | null;
  readonly percent: number;
}

export function findCalls(database: Client): Promise<Call[]> {
  return rowsOf(
    database,
    `select step, worker_pid as pid, called_at as "calledAt", returned_at as "returnedAt", percent
     from app.call order by id`,
  );
}

export async function prove(about: {
  readonly database: Client;
  readonly journal: readonly TimedJournalEntry[];
  readonly calls: readonly Call[];
  readonly output: { readonly userId: number; readonly verified: boolean };
  readonly killed: number;
  readonly status: string;
}): Promise<Claim[]> {
  const { database, journal, calls, output, killed, status } = about;
  const repeated = calls.filter(({ step, calledAt }) =>
    journal.some((entry) => entry.name === step && calledAt > entry.completedAt),
  );
  const cut = calls.filter(({ pid, returnedAt }) => pid === killed && returnedAt === null);
  const names = journal.map(({ name }) => name).join(", ");
  return [
    claim(
      "The run completed, and the signal reached it.",
      status === "completed" && output.verified,
    ),
    claim(
      "The journal has every step once, in order.",
      names === "create-user, welcome-delay, send-welcome, sync-crm, verify",
      names,
    ),
    claim(
      "The worker was killed in the middle of send-welcome.",
      cut.length === 1 && cut[0]?.step === "send-welcome",
      cut.map(({ step }) => step).join(", "),
    ),
    claim(
      "No step was called again once it was in the journal.",
      repeated.length === 0,
      repeated.map(({ step }) => step).join(", "),
    ),
    claim(
      "The customer got one mail.",
      (await rowsOf(database, "select from app.mail")).length === 1,
    ),
    claim(
      "queue.check_invariants() finds nothing.",
      (await rowsOf(database, "select from queue.check_invariants()")).length === 0,
    ),
  ];
}
