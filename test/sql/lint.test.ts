/**
 * Asks plpgsql_check about every function, because PL/pgSQL itself looks at a statement only when it runs it.
 */
import { readFileSync } from "node:fs";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { debianPostgres } from "../helpers/debian-postgres.ts";

/** False alarms of the checker. */
const KNOWN_BETTER: readonly KnownBetter[] = [
  {
    message: /^cannot determinate a result of dynamic SQL$/,
    reason: "the checker runs nothing, so it can't know the columns; the tests of the function do",
  },
  ...["_create_queue_table", "_create_workflow_view", "_create_queue_functions"].map((name) => ({
    function: name,
    message: /is not sanitized$/,
    reason: "the name was checked against a whitelist, and is quoted by format",
  })),
  {
    function: "_complete_rows",
    message: /is not sanitized$/,
    reason: "the defaults of columns are expressions of the catalog, which migrations have written",
  },
  {
    function: "_require_no_references",
    message: /should be STABLE$/,
    reason:
      "references that another transaction has committed while this one waited have to be seen",
  },
  {
    function: "_try_pin_reference",
    message: /should be STABLE$/,
    reason: "its statement inserts, but the table is chosen by the call",
  },
  {
    function: "_take_messages",
    message: /should be STABLE$/,
    reason: "its statement updates, but the table is chosen by the call",
  },
  ...[
    "_lock_messages",
    "_lock_in_flight",
    "_lock_leases",
    "_try_lock_runs",
    "_skip_locked_records",
  ].map((name) => ({
    function: name,
    message: /should be STABLE$/,
    reason: "rows that it locks have to be seen as they are, which a stable function doesn't",
  })),
  {
    function: "_delete_q_standard",
    message: /^unused parameter "retry_at"$/,
    reason: "queues of both kinds are deleted from by the same call",
  },
  {
    function: "_delete_q_standard",
    message: /^unused parameter "is_grouped"$/,
    reason: "queues of both kinds are deleted from by the same call",
  },
  {
    function: "_delete_q___topic_dead_letters",
    message: /^unused parameter "retry_at"$/,
    reason: "queues of both kinds are deleted from by the same call",
  },
  {
    function: "_delete_q___topic_dead_letters",
    message: /^unused parameter "is_grouped"$/,
    reason: "queues of both kinds are deleted from by the same call",
  },
  {
    function: "migrate",
    message: /^immutable expression without parameters found$/,
    reason: "a migration of one statement is executed in the same way as the others",
  },
  {
    function: "_raise",
    message: /should be IMMUTABLE$/,
    reason: "the planner may call an immutable function, and this one raises",
  },
];

interface KnownBetter {
  /** Default: any function. */
  readonly function?: string;
  readonly message: RegExp;
  readonly reason: string;
}

interface Finding {
  readonly function: string;
  readonly line: number;
  readonly statement: string;
  readonly level: string;
  readonly message: string;
  readonly detail: string | null;
}

const CHECK = (schema: string): string => `
  select p.proname as function, c.lineno as line, c.statement, c.level, c.message, c.detail
  from pg_proc as p
  join pg_language as l on l.oid = p.prolang,
  lateral plpgsql_check_function_tb(
    p.oid,
    case p.prorettype when 'trigger'::regtype then 'queue.queue'::regclass else 0 end,
    fatal_errors => false,
    other_warnings => true,
    extra_warnings => true,
    performance_warnings => true,
    security_warnings => true
  ) as c
  where p.pronamespace = '${schema}'::regnamespace
    and l.lanname = 'plpgsql'
  order by p.proname, c.lineno`;

async function findings(url: string, schema: string, script = ""): Promise<Finding[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await migrate(client);
    // Their own functions are asked about too.
    await client.query("select queue.create_queue('standard'), queue.create_queue('fifo', true)");
    // The checker asks for the settings of these.
    await client.query(
      "select queue._create_internal_queue('__http', 'fifo'), queue._create_internal_queue('__topic_dead_letters', 'standard')",
    );
    await client.query(script);
    await client.query("create extension plpgsql_check");
    const { rows } = await client.query<Finding>(CHECK(schema));
    return rows.filter((finding) => !isKnownBetter(finding));
  } finally {
    await client.end();
  }
}

function isKnownBetter(finding: Finding): boolean {
  return KNOWN_BETTER.some(
    (known) =>
      known.message.test(finding.message) &&
      (known.function === undefined || known.function === finding.function),
  );
}

describe.runIf(debianPostgres.isInstalled && debianPostgres.hasPlpgsqlCheck)(
  "the functions of the schema (needs postgresql-15-plpgsql-check)",
  () => {
    it("hold no statement that plpgsql_check objects to", async () => {
      await using cluster = await startPostgres({ binDir: debianPostgres.binDir, durable: false });
      expect(await findings(cluster.url, "queue")).toEqual([]);
      const clock = readFileSync(
        new URL("../../extension-sql/testing/clock.sql", import.meta.url),
        "utf8",
      );
      const url = await cluster.createDatabase("with_a_clock");
      expect(await findings(url, "oxbow_test", clock)).toEqual([]);
    });
  },
);

it("functions that leave the planner no choice don't let it compile what is left", async () => {
  const database = await createDatabase();
  // A disabled plan costs ten billion before PostgreSQL 18, and a plan that costs so much is compiled just in time.
  expect(
    await database.query(
      `select p.proname
       from pg_proc as p
       where p.pronamespace = 'queue'::regnamespace
         and p.proconfig::text ~ 'enable_\\w+=off'
         and not 'jit=off' = any (p.proconfig)`,
    ),
  ).toEqual([]);
});
