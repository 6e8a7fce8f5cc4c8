/**
 * The house rules for SQL, asked of the catalog: it has what was installed, which a check of the sources would only
 * guess. Volatility is the exception, because the catalog doesn't distinguish a declared `volatile` from the default.
 *
 * `roles.test.ts` has the rules of privileges and `security definer`, `lint.test.ts` what plpgsql_check finds.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";

/** PostgreSQL inlines a SQL function only if it has no SET clause. */
const INLINED = [
  "_activity",
  "_at_path",
  "_caller",
  "_clock_shown",
  "_due_after_pause",
  "_failed_attempts",
  "_first_matching_wait",
  "_group_lock_key",
  "_has_begun",
  "_has_value",
  "_in_fleet",
  "_input_index",
  "_is_behind",
  "_is_clock_set_back",
  "_is_held",
  "_is_mark_due",
  "_is_message_path",
  "_is_plain_commit",
  "_is_plain_start",
  "_is_step_name",
  "_journal_json",
  "_json_size",
  "_large_row_size",
  "_large_size",
  "_lock_bucket",
  "_message_receipt",
  "_must_record_clock",
  "_new_receipt",
  "_own_incarnation",
  "_paused_until",
  "_privileges",
  "_rate_burst",
  "_rate_spacing",
  "_receipt_msg_id",
  "_served_versions",
  "_shift_deadlines",
  "_signals_for",
  "_sqs_queues",
  "_wake_key",
  "_workflow_channel",
  "wake_key",
];

/** Functions and tables that each queue has. Their comments and columns are described where they are created. */
const OF_ONE_QUEUE = "^(_(send|receive|groups|delete)_q_|q_)";

const database = await createDatabase();

beforeAll(async () => {
  await database.query("select queue.create_queue('standard'), queue.create_queue('fifo', true)");
  await database.query("select queue.workflow_start('catalog')");
});

interface FunctionRow {
  readonly name: string;
  readonly comment: string | null;
  readonly result: string;
  readonly config: string | null;
  readonly is_public: boolean;
  readonly is_volatile: boolean;
}

async function functions(condition = "true"): Promise<FunctionRow[]> {
  return database.query<FunctionRow & Record<string, unknown>>(
    `select p.proname as name, obj_description(p.oid, 'pg_proc') as comment, pg_get_function_result(p.oid) as result,
       array_to_string(p.proconfig, '; ') as config, p.proname !~ '^_' as is_public, p.provolatile = 'v' as is_volatile
     from pg_proc as p
     where p.pronamespace = 'queue'::regnamespace and (${condition})
     order by p.proname`,
  );
}

async function names(condition: string): Promise<string[]> {
  return (await functions(condition)).map(({ name }) => name);
}

describe("every function", () => {
  it("has a comment in the house shape, which ends with what it touches, unless PostgreSQL keeps it from writing", async () => {
    const described = await functions(`p.proname !~ '${OF_ONE_QUEUE}'`);
    expect(described.length).toBeGreaterThan(200);
    expect(described.filter(({ comment }) => comment === null)).toEqual([]);
    const faults = described.flatMap((each) =>
      shapeFaults(each).map((fault) => `${each.name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it("names only relations and functions that exist in its comment", async () => {
    const existing = new Set(
      (
        await database.query<{ name: string }>(
          `select c.relname as name from pg_class as c where c.relnamespace = 'queue'::regnamespace
           union select p.proname from pg_proc as p where p.pronamespace in ('queue'::regnamespace, 'pg_catalog'::regnamespace)
           union select t.typname from pg_type as t where t.typnamespace = 'queue'::regnamespace`,
        )
      ).map(({ name }) => name),
    );
    const gone = (await functions(`p.proname !~ '${OF_ONE_QUEUE}'`)).flatMap(({ name, comment }) =>
      [...(comment ?? "").matchAll(/\bqueue\.(\w+)(?![\w<])|\b(_?[a-z]\w*_\w+)\(\)/g)]
        .map(([, relation, called]) => relation ?? called ?? "")
        .filter((mentioned) => !existing.has(mentioned))
        .map((mentioned) => `${name}: ${mentioned}`),
    );
    expect(gone).toEqual([]);
  });

  it("pins search_path, unless it is inlined", async () => {
    expect(await names("coalesce(p.proconfig::text, '') !~ 'search_path='")).toEqual(INLINED);
    expect(
      await names(
        "p.proconfig::text ~ 'search_path=' and p.proname = any ('{" + INLINED.join() + "}')",
      ),
    ).toEqual([]);
  });

  it("has a name for each argument, and its own name", async () => {
    expect(
      await names(
        `coalesce(cardinality(p.proargnames), 0) < coalesce(cardinality(p.proallargtypes), p.pronargs)
         or '' = any (p.proargnames)`,
      ),
    ).toEqual([]);
    expect(
      await names(
        `exists (
           select from pg_proc as other
           where other.pronamespace = p.pronamespace and other.proname = p.proname and other.oid <> p.oid
         )`,
      ),
    ).toEqual([]);
  });

  it("is executable only by roles that are granted it, never by PUBLIC", async () => {
    expect(
      await names(
        `p.proacl is null
         or exists (select from aclexplode(p.proacl) as a where a.grantee = 0)`,
      ),
    ).toEqual([]);
  });

  it("begins with a verb of the glossary if it is internal and changes something", () => {
    const glossary = readFileSync(
      new URL("../../docs/reference/glossary.md", import.meta.url),
      "utf8",
    );
    const [, table = ""] = glossary.split("## Verbs of SQL functions");
    const verbs = [...table.matchAll(/\*\*([a-z ,]+)\*\*/g)]
      .flatMap(([, list = ""]) => list.split(", "))
      .map((verb) => verb.replace("try to", "try").replaceAll(" ", "_"));
    const root = fileURLToPath(new URL("../../extension-sql/src", import.meta.url));
    const others = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => basename(path).startsWith("_"))
      .filter((path) => /^volatile$/m.test(readFileSync(join(root, path), "utf8")))
      .map((path) => basename(path, ".sql"))
      .filter((name) => !verbs.some((verb) => `${name}_`.startsWith(`_${verb}_`)));
    // Named for the value that they return: they read a sequence, create at the first use, and read the clock.
    expect(others.toSorted()).toEqual(["_clock_shown", "_internal_queue", "_with_beginnings"]);
  });

  it("is the only one in a file of its name, and declares volatility unless it is inlined", () => {
    const root = fileURLToPath(new URL("../../extension-sql/src", import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".sql") && !/\b(types|templates)\//.test(path),
    );
    expect(files.length).toBeGreaterThan(200);
    const faults = files.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const name = basename(path, ".sql");
      const created = [...text.matchAll(/^create or replace function queue\.(\w+)\(/gm)].map(
        ([, each]) => each,
      );
      const attributes = text.slice(0, text.indexOf("as $function$"));
      const isDeclared = /\n(volatile|stable|immutable)\n/.test(attributes);
      return [
        ...(created.join() === name ? [] : [`${path} creates ${created.join()}`]),
        ...(isDeclared || INLINED.includes(name) ? [] : [`${path} declares no volatility`]),
      ];
    });
    expect(faults).toEqual([]);
  });
});

describe("every table and type", () => {
  it("has a comment, and so has each column of a table", async () => {
    const objects = await database.query(
      `select c.relname as name
       from pg_class as c
       where c.relnamespace = 'queue'::regnamespace
         and c.relkind in ('r', 'p', 'v')
         and obj_description(c.oid, 'pg_class') is null
       union all
       select t.typname
       from pg_type as t
       left join pg_class as c on c.oid = t.typrelid
       where t.typnamespace = 'queue'::regnamespace
         and (t.typtype in ('e', 'd') or c.relkind = 'c')
         and obj_description(t.oid, 'pg_type') is null`,
    );
    expect(objects).toEqual([]);
    const columns = await database.query(
      `select format('%s.%s', c.relname, a.attname) as name
       from pg_class as c
       join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'queue'::regnamespace
         and c.relkind in ('r', 'p')
         and c.relname !~ '${OF_ONE_QUEUE}'
         and col_description(c.oid, a.attnum) is null`,
    );
    expect(columns).toEqual([]);
  });

  it("has an index for each foreign key", async () => {
    expect(
      await database.query(
        `select k.conname as name
         from pg_constraint as k
         where k.connamespace = 'queue'::regnamespace
           and k.contype = 'f'
           and not exists (
             select
             from pg_index as i
             where i.indrelid = k.conrelid
               and (i.indkey::smallint[])[0 : cardinality(k.conkey) - 1] @> k.conkey
           )`,
      ),
    ).toEqual([]);
  });
});

/** Sentences, then a line for each parameter that needs one, then Returns, Errors and Touches. */
function shapeFaults({
  comment,
  result,
  is_public: isPublic,
  is_volatile: isVolatile,
}: FunctionRow): string[] {
  const lines = (comment ?? "").split("\n");
  const order = lines
    .map((line) => /^(Returns|Errors:|Touches:)/.exec(line)?.[1] ?? "")
    .filter((word) => word !== "");
  const expected = ["Returns", "Errors:", "Touches:"].filter((word) => order.includes(word));
  return [
    ...(isVolatile && lines.at(-1)?.startsWith("Touches: ") !== true
      ? ["the last line is not Touches:"]
      : []),
    ...(!isVolatile && lines.at(-1) === "Touches: nothing."
      ? ["a stable or immutable function touches nothing in any case"]
      : []),
    ...(lines.every((line) => /^[A-Z\d_a-z].*[.:)]$|^- /.test(line))
      ? []
      : [`a line is no sentence: ${lines.find((line) => !/^\w.*[.:)]$|^- /.test(line)) ?? ""}`]),
    ...(lines[0]?.startsWith("Returns") === true || order.join() === expected.join()
      ? []
      : [`the order is ${order.join(" ")}`]),
    ...(isPublic && result !== "void" && !order.includes("Returns") ? ["no line Returns"] : []),
  ];
}
