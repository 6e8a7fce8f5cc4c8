/** The conditions that the database must meet after the demo. */
import type { Client } from "pg";
import { type Claim, claim, rowsOf } from "../demo/stage.ts";
import type { Explained, Refusal } from "./automations.ts";

export async function prove(about: {
  readonly database: Client;
  readonly problems: readonly string[];
  readonly again: Explained;
  readonly missing: Explained;
  readonly owners: readonly string[];
  readonly refusal: Refusal | undefined;
  readonly killed: number;
}): Promise<Claim[]> {
  const { database, problems, again, missing, owners, refusal, killed } = about;
  const pages = await rowsOf<{
    incident: string;
    policy: string;
    requests: number;
    workers: number[];
  }>(
    database,
    `select p.incident_id as incident, p.policy_id as policy, count(*)::int as requests,
            array_agg(r.worker_pid order by r.id) as workers
     from app.page as p join app.page_request as r on r.key = p.key group by p.key order by 1`,
  );
  const messages = await rowsOf<{ incident: string; text: string }>(
    database,
    "select incident_id as incident, text from app.message order by 1",
  );
  const fields = await rowsOf(database, "select from app.custom_field where id = 'CF7'");
  const violations = await rowsOf(database, "select from queue.check_invariants()");
  const [one, two] = pages;
  const failing = missing.conditions.filter(({ holds }) => holds !== true);
  return [
    claim(
      "The server found the edge that leads nowhere before anything was saved.",
      problems.some((problem) => problem.includes("pages")),
      problems.join("; "),
    ),
    claim(
      "INC-1 and INC-2 paged, each once, in both orders of the field and the severity.",
      pages.map(({ incident }) => incident).join() === "INC-1,INC-2",
      JSON.stringify(pages),
    ),
    claim(
      "The killed worker and the next one asked the pager with one key, and it paged once.",
      one?.requests === 2 && one.workers[0] === killed && one.workers[1] !== killed,
      JSON.stringify(one),
    ),
    claim(
      "The step before was not called again: one message for each incident.",
      messages.map(({ incident }) => incident).join() === "INC-1,INC-2",
      JSON.stringify(messages),
    ),
    claim("INC-2 needed one request.", two?.requests === 1, JSON.stringify(two)),
    claim(
      "A later change of INC-1 started nothing, and the answer names the run that it had.",
      again.verdict === "once" && again.runId !== null,
      JSON.stringify(again),
    ),
    claim(
      "INC-3 didn't page, and the answer names the condition that is false.",
      missing.verdict === "guard" &&
        failing.length > 0 &&
        failing.every(({ text }) => text.includes("CF7")),
      JSON.stringify(missing),
    ),
    claim(
      "The field can't be deleted, and the refusal names the automation that uses it.",
      refusal?.code === "OX026" &&
        `${refusal.message} ${refusal.detail ?? ""}`.includes("page-on-major") &&
        owners.join() === "page-on-major" &&
        fields.length === 1,
      JSON.stringify({ refusal, owners }),
    ),
    claim("queue.check_invariants() finds nothing.", violations.length === 0),
  ];
}
