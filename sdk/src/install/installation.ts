import { readFile } from "node:fs/promises";
import type pg from "pg";

/** The installation in a database. */
export interface Installation {
  /** Whether the functions came by the script, or belong to the extension `oxbow`. */
  readonly installedBy: "script" | "extension";
  /** Version of the functions, as in "0.1.0". */
  readonly version: string;
}

/** Looks what is installed; `undefined` when nothing is. */
export async function findInstallation(client: pg.ClientBase): Promise<Installation | undefined> {
  const isThere = await readValue(client, "select to_regprocedure('queue.version()') is not null");
  if (isThere !== true) return undefined;
  const isExtension = await readValue(
    client,
    "select exists (select from pg_extension where extname = 'oxbow')",
  );
  return {
    installedBy: isExtension === true ? "extension" : "script",
    version: String(await readValue(client, "select queue.version()")),
  };
}

/** Version of this package. */
export async function releaseVersion(): Promise<string> {
  const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Whether the first version comes before the second one. */
export function isOlder(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((each) => each.split(".").map(Number));
  const different = numbers?.findIndex((number, index) => number !== others?.[index]) ?? -1;
  return different !== -1 && (numbers?.[different] ?? 0) < (others?.[different] ?? 0);
}

/** The first value of the first row. */
export async function readValue(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<unknown> {
  const { rows } = await client.query<unknown[]>({ text, values, rowMode: "array" });
  return rows[0]?.[0];
}
