/** Facts that the text of the functions has in one place, so that a change of one is a change of that place. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../extension-sql/src", import.meta.url));
const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));

const HOT = "a call would cost a start or a commit more than 1%: decision 0088";
const SET = "writes a set, which would make one signal dearer by 9%: decision 0088";
const OWN_ORIGIN = "takes its values from the rows of other runs";

/**
 * Tables into which several statements insert, with why each file does it itself. Moves of rows between
 * shards and forks are left out.
 */
const WRITERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  workflow_run: {
    "workflow/start/_insert_run.sql": "the writer",
    "workflow/start/_start_one_run.sql": HOT,
    "workflow/workflow_start_batch.sql": HOT,
    "workflow/commit/_start_children.sql": HOT,
  },
  workflow_continuation: {
    "workflow/start/_insert_continuation.sql": "the writer",
    "workflow/start/_start_one_run.sql": HOT,
    "workflow/workflow_start_batch.sql": HOT,
    "workflow/commit/_start_children.sql": HOT,
  },
  workflow_step: {
    "workflow/wait/_journal_wait.sql": "the writer of one wait that ends",
    "workflow/wait/_journal_timeouts.sql": SET,
    "workflow/signal/_deliver_signals.sql": SET,
    "workflow/workflow_commit.sql": "the writer of steps",
    "workflow/commit/_commit_one_step.sql": HOT,
    "workflow/workflow_commit_tx.sql": HOT,
    "workflow/end/_resolve_parents.sql": OWN_ORIGIN,
    "workflow/wait/_journal_child.sql": OWN_ORIGIN,
    "workflow/operate/_rerun_run.sql": OWN_ORIGIN,
  },
};

/** As many inserts as there are today, by table: one is added by the function that has one. */
const INSERTS: Readonly<Record<string, number>> = {
  // A send of one message writes no set.
  deduplication: 2,
  definition_layout: 2,
  queue: 3,
  subscription: 3,
  trigger_event: 2,
  workflow_admission: 2,
  workflow_buffered_signal: 3,
  workflow_continuation: 4,
  workflow_failed_attempt: 3,
  workflow_gate: 4,
  // One of the two in workflow_start_batch.sql is for runs with idempotency keys.
  workflow_run: 5,
  workflow_run_state: 2,
  workflow_starter: 2,
  workflow_step: 9,
  workflow_stream_chunk: 2,
  workflow_version: 2,
};

/** The files in extension-sql/src that match a pattern outside of comments, once for each match. */
function matches(pattern: RegExp): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql"))
    .toSorted()
    .flatMap((path) => {
      const code = readFileSync(`${SOURCE}/${path}`, "utf8").replaceAll(
        /--[^\n]*|^comment on [^]*/gm,
        "",
      );
      return [...code.matchAll(pattern)].map(() => path);
    });
}

it("only the room of copies decides whether a database is at home", () => {
  const evidence = /\b(is_untouched|is_same_database|is_other_timeline|guarded_timeline)\b/g;
  expect(matches(evidence)).not.toEqual([]);
  expect(matches(evidence).filter((path) => !path.startsWith("fork/"))).toEqual([]);
});

describe("inserts outside of forks and moves", () => {
  const insertsInto = (table: string): string[] =>
    matches(new RegExp(`(?<!\\w)insert into queue\\.${table}(?!\\w)`, "g")).filter(
      (path) => !/^(fork|shard)\//.test(path),
    );

  it.each(Object.entries(WRITERS))("into %s each have a reason", (table, writers) => {
    expect(new Set(insertsInto(table))).toEqual(new Set(Object.keys(writers)));
  });

  it("become no more", () => {
    const tables = new Set(
      readdirSync(MIGRATIONS).flatMap((file) =>
        [
          ...readFileSync(`${MIGRATIONS}/${file}`, "utf8").matchAll(/create table queue\.(\w+)/g),
        ].map(([, table = ""]) => table),
      ),
    );
    expect(tables).toContain("workflow_run");
    const counts = [...tables].map((table) => [table, insertsInto(table).length] as const);
    expect(Object.fromEntries(counts.filter(([, count]) => count > 1))).toEqual(INSERTS);
  });
});
