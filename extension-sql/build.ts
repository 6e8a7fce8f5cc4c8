/**
 * Builds the two ways to install Oxbow from one source: the extension (`dist/extension/`), with an upgrade script from
 * every release before, and the plain script that `oxbow migrate` runs (`sdk/sql/oxbow.sql`), which upgrades too.
 *
 * The source is behaviour (`src/`, one function or type a file) and state (`migrations/`). State goes into the
 * body of `queue.migrate()` and nowhere else, because a table that an extension script makes is a member of the
 * extension, and pg_dump leaves out the rows of members.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { releasedScript, releasedVersions } from "./released.ts";
import { planUpgrade } from "./upgrade.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);

// PostgreSQL checks bodies when functions are called, so the order of the rooms serves only readers.
const ROOMS = [
  "foundation",
  "queue",
  "topic",
  "workflow",
  "flow_control",
  "schedule",
  "definition",
  "trigger",
  "resource",
  "approval",
  "endpoint",
  "sqs",
  "catalog",
  "fork",
  "shard",
  "audit",
  "admin",
  "access",
] as const;
// The types of each room come first, since functions name them in their signatures.
const TYPES_FOLDER = "types";
// Folder of the functions that each queue has: they are embedded in the function that makes them.
const TEMPLATES_FOLDER = "templates";

// Last: PostgreSQL grants new functions to PUBLIC.
const GRANT = `revoke all on all functions in schema queue from public;
do $roles$
begin
  perform queue.create_roles();
end
$roles$;
`;
/** Postgres converts the script to the encoding of the database before it runs any of it, so it is in ASCII. */
const REQUIRE_UTF8 = `do $encoding$
begin
  if (current_setting('server_encoding') = 'UTF8') is not true then
    raise exception using
      errcode = 'OX006',
      message = format('database "%s" has the encoding %s, and Oxbow needs UTF8', current_database(),
        current_setting('server_encoding')),
      hint = 'Create a database with ENCODING ''UTF8'' TEMPLATE template0, and install Oxbow there.';
  end if;
end
$encoding$;
`;
const guard = (statement: string): string =>
  `\\echo Use "${statement}" to load this file. \\quit\n`;

/**
 * The SET clauses behind the words of a line `-- plans: …`. Statistics of queues and continuations are always out of date, so
 * functions on the hot path leave the planner no choice: see README.md.
 */
const PLANS: Readonly<Record<string, readonly string[]>> = {
  index: ["enable_seqscan = off"],
  "no bitmap": ["enable_bitmapscan = off"],
  "nested loop": ["enable_hashjoin = off", "enable_mergejoin = off"],
  "no sort": ["enable_sort = off"],
  generic: ["plan_cache_mode = force_generic_plan"],
  "no jit": ["jit = off"],
};

/** Not for functions in SQL: PostgreSQL inlines one only without a SET clause. The others write it themselves. */
const PINNED = "set search_path = pg_catalog, pg_temp";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

interface Release {
  readonly version: string;
  /** Its create script, as it was released. */
  readonly text: string;
}

const version = controlVersion();
const migrations = readMigrations();
// A release keeps its own script there too.
const releases: readonly Release[] = releasedVersions()
  .filter((released) => released !== version)
  .map((released) => ({ version: released, text: releasedScript(released) }));

const extensionDir = join(HERE, "dist", "extension");
write(join(extensionDir, "oxbow.control"), read(join(HERE, "oxbow.control")));
write(join(extensionDir, `oxbow--${version}.sql`), inAscii(extensionScript()));
for (const release of releases) {
  write(join(extensionDir, `oxbow--${release.version}.sql`), release.text);
  write(join(extensionDir, `oxbow--${release.version}--${version}.sql`), upgradeScript(release));
}
write(join(ROOT, "sdk", "sql", "oxbow.sql"), plainScript());
// Never part of an installation: only the testing kit runs it, in its own databases.
write(join(ROOT, "sdk", "sql", "testing.sql"), read(join(HERE, "testing", "clock.sql")));

write(
  join(ROOT, "sdk", "sql", "migrations.json"),
  `${JSON.stringify({ version, migrations: migrations.map((migration) => factsOf(migration)) }, null, 2)}\n`,
);

/** The facts about a migration that a dry run of `oxbow migrate` shows. */
function factsOf({ version: number, name, text }: Migration): object {
  const comment = /^(?:--.*\n)+/.exec(text)?.[0] ?? "";
  const words = comment.replaceAll(/^-- ?/gm, "").replaceAll(/\s+/g, " ").trim();
  const title = /^.*?[.:;](?=\s|$)/.exec(words)?.[0].replace(/[.:;]$/, "") ?? words;
  return { version: number, name, title, bytes: Buffer.byteLength(text) };
}

/** The schema must be empty: an object with the name of ours must make the installation fail. */
function extensionScript(): string {
  return [
    guard("CREATE EXTENSION oxbow"),
    REQUIRE_UTF8,
    ...types(),
    ...functions().map((text) =>
      text.replaceAll(/^create or replace function /gm, "create function "),
    ),
    GRANT,
  ].join("\n");
}

function inAscii(script: string): string {
  const line = script.split("\n").find((one) => Buffer.byteLength(one) > one.length);
  if (line === undefined) return script;
  throw new Error(`The SQL has a character that isn't ASCII, in this line:\n${line}`);
}

/** From an older release: the tables follow by `queue.migrate()`, which no extension script may call. */
function upgradeScript(release: Release): string {
  const upgrade = planUpgrade(release.text, extensionScript());
  return [
    guard("ALTER EXTENSION oxbow UPDATE"),
    keep("before"),
    ...lockTables(),
    ...upgrade.dropFunctions,
    ...types().filter((text) => !upgrade.typesThere.has(typeName(text))),
    ...upgrade.alterTypes,
    ...functions(),
    keep("after"),
    GRANT,
  ].join("\n");
}

function plainScript(): string {
  return [
    fill(read(join(HERE, "plain", "before.sql"))),
    keep("before"),
    ...lockTables(),
    ...releases.map((release) => plainUpgrade(release, "dropFunctions")),
    ...types().map((text) => onlyIfAbsent(text)),
    ...releases.map((release) => plainUpgrade(release, "alterTypes")),
    ...types().map((text) => commentsOn(text)),
    ...functions(),
    keep("after"),
    GRANT,
    read(join(HERE, "plain", "after.sql")),
  ].join("\n");
}

/** What an upgrade leaves as it was, besides the tables: the owner of the functions, and what users have granted. */
function keep(part: "before" | "after"): string {
  return read(join(HERE, "keep", `${part}.sql`));
}

/**
 * Locks the tables of an older release before its types: a type that is altered stays locked until the upgrade ends, and a
 * transaction that has a table may need that type next. Of the same release, only grants are in the way.
 */
function lockTables(): string[] {
  const needed = new Set(["_cancel_autovacuum.sql", "_lock_tables.sql"]);
  return [
    ...sources(join("admin", "migrate"), (path) => needed.has(basename(path))),
    `do $lock$
begin
  if to_regprocedure('queue.version()') is null then
    return;
  elsif queue.version() <> '${version}' then
    perform queue._lock_tables();
  elsif to_regclass('queue.name_lock') is not null then
    perform queue._lock_name('privileges');
  end if;
end
$lock$;
`,
  ];
}

/** Does nothing in a database that has another release, or no Oxbow. */
function plainUpgrade(release: Release, part: "dropFunctions" | "alterTypes"): string {
  const statements = planUpgrade(release.text, extensionScript())[part];
  return `do $upgrade$
begin
  if to_regprocedure('queue.version()') is null then
    return;
  elsif queue.version() <> '${release.version}' then
    return;
  end if;
${statements.map((statement) => `  ${statement}`).join("\n")}
end
$upgrade$;
`;
}

function functions(): string[] {
  return ROOMS.flatMap((room) => sources(room, (path) => !isType(path)));
}

/** Types in the order of their names, but each after the types of its attributes. */
function types(): string[] {
  const waiting = ROOMS.flatMap((room) => sources(room, isType)).map((text) => withoutNotes(text));
  const ordered: string[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((text) => !waiting.some((other) => isMadeOf(text, other)));
    if (next === -1) throw new Error("composite types are made of each other");
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

/** Notes on columns are for readers, and for `seam/`. */
function withoutNotes(text: string): string {
  return text.replaceAll(/ +-- .*$/gm, "");
}

function isMadeOf(text: string, other: string): boolean {
  return text !== other && new RegExp(`\\b${typeName(other)}\\b`).test(text);
}

function typeName(text: string): string {
  const name = /^create type (queue\.\w+) /m.exec(text)?.[1];
  if (name === undefined) throw new Error(`a file in a types/ folder creates no type: ${text}`);
  return name;
}

/** PostgreSQL has no `create or replace type`. */
function onlyIfAbsent(typeText: string): string {
  return `do $type$
begin
  if to_regtype('${typeName(typeText)}') is null then
${typeText.slice(0, typeText.indexOf("\ncomment on type")).trimEnd()}
  end if;
end
$type$;
`;
}

/** Finds the comments on a type and its attributes, which an upgrade may just have added. */
function commentsOn(typeText: string): string {
  return typeText.slice(typeText.indexOf("\ncomment on type") + 1);
}

/** The files of a folder of `src/` and its subfolders that pass the filter, in the order of their paths. */
function sources(folder: string, passes: (path: string) => boolean = () => true): string[] {
  return sqlFiles(join(HERE, "src", folder))
    .filter((path) => basename(dirname(path)) !== TEMPLATES_FOLDER && passes(path))
    .map((path) => fill(withTemplates(path)));
}

function isType(path: string): boolean {
  return basename(dirname(path)) === TYPES_FOLDER;
}

/**
 * Embeds the template that a line `-- template: file name:code …` names, for `format()`: `{name}` becomes the argument of
 * that number, with that code.
 */
function withTemplates(path: string): string {
  return read(path).replaceAll(
    /^( *)-- template: (\S+) (.*)$/gm,
    (_line, indent: string, file: string, list: string) => {
      const codes = list.split(" ").map((item, index) => {
        const [name = "", code = ""] = item.split(":");
        return [`{${name}}`, `%${index + 1}$${code}`] as const;
      });
      const text = read(join(dirname(path), TEMPLATES_FOLDER, file)).trimEnd();
      const filled = codes.reduce(
        (template, [name, argument]) => template.replaceAll(name, () => argument),
        text.replaceAll("%", "%%"),
      );
      if (/\{\w+\}/.test(filled)) throw new Error(`${path}: ${file} has a name without argument`);
      return filled.replaceAll(/^(?=.)/gm, indent);
    },
  );
}

/** Expands a line `-- plans: …` into SET clauses. */
function settings(line: string, words: string): string {
  const clauses = words.split(", ").flatMap((word) => {
    const found = PLANS[word];
    if (found === undefined)
      throw new Error(`${line}: "${word}" is not one of ${Object.keys(PLANS).join(", ")}`);
    return found;
  });
  // Before PostgreSQL 18, a plan that uses a disabled node costs ten billion, and would be compiled just in time.
  const isRestricted = clauses.some((clause) => clause.endsWith("= off"));
  return [...new Set([...clauses, ...(isRestricted ? ["jit = off"] : [])])]
    .map((clause) => `set ${clause}`)
    .join("\n");
}

/** Pins the search_path of functions in PL/pgSQL, and replaces the placeholders that only the build knows. */
function fill(source: string): string {
  return source
    .replaceAll(/^language plpgsql$/gm, `$&\n${PINNED}`)
    .replaceAll(/^-- plans: (.*)$/gm, settings)
    .replaceAll("@version@", version)
    .replaceAll("@require_utf8@", () => REQUIRE_UTF8)
    .replaceAll("@latest_migration@", String(migrations.length))
    .replaceAll("@latest_state@", `state_${String(migrations.length).padStart(4, "0")}`)
    .replaceAll("@migrations@", () => migrations.map((migration) => step(migration)).join("\n\n"));
}

/** One migration as a step of the body of `queue.migrate()`. */
function step({ version: number, name, text }: Migration): string {
  const quote = `$migration_${number}$`;
  return `  if v_current < ${number} then
    execute ${quote}
${text.trimEnd()}
${quote};
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), ${number}, '${name}');
  end if;`;
}

function readMigrations(): Migration[] {
  return sqlFiles(join(ROOT, "migrations")).map((path, index) => {
    const [, number, name] = /^(\d{4})_(\w+)\.sql$/.exec(basename(path)) ?? [];
    if (Number(number) !== index + 1 || name === undefined) {
      throw new Error(
        `${path}: migrations are numbered 0001_name.sql, 0002_name.sql, without a gap`,
      );
    }
    return { version: index + 1, name, text: read(path) };
  });
}

function controlVersion(): string {
  const control = read(join(HERE, "oxbow.control"));
  const found = /^default_version = '(\d+\.\d+\.\d+)'$/m.exec(control)?.[1];
  if (found === undefined) throw new Error("oxbow.control names no default_version");
  return found;
}

function sqlFiles(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => join(directory, name));
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}

/** Replaces the file atomically, because another build or a test may be reading it. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
