/**
 * Quarantines the copy of a cluster before clients can connect to it; starts and stops it.
 *
 * Promises:
 *   F1  Until it is marked as held, it only listens on a socket in a private folder.
 *   F2  It doesn't archive, replicate, or wait for standbys: the settings of the source for other systems don't apply.
 *       They are overridden in the copy, so later starts are safe too.
 *   F3  No server is started on the directory of the source, and none of its files is written, wherever the configuration
 *       in the copy leads.
 */
import { holdIncarnation, knowsIncarnations, withDatabase } from "@oxbow/sdk/internal/server";
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdtemp,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Account, accountOf, type Programs } from "./driver.ts";
import { databaseNames } from "./postgres.ts";
import { readPidFile } from "./source.ts";

const START_WITHIN_S = "600";

const ISOLATED = {
  archive_mode: "off",
  archive_command: "",
  restore_command: "",
  primary_conninfo: "",
  synchronous_standby_names: "",
  max_logical_replication_workers: "0",
  // Jobs of pg_cron belong to the source.
  "cron.launch_active_jobs": "off",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  external_pid_file: "",
  ssl: "off",
} as const;

/** For a cluster whose configuration is elsewhere, as on Debian. Roles and passwords are copied. */
const HOST_RULES = `host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

const LEADS_ELSEWHERE = /^\s*data_directory\b/im;

export interface ColdCluster {
  readonly dataDir: string;
  readonly superuser: string;
  readonly programs: Programs;
}

/** Quarantines the copy, and marks each database with Oxbow as held. @returns Their names. */
export async function quarantine(
  cluster: ColdCluster,
  { port, copiedAt }: { readonly port: number; readonly copiedAt: Date },
): Promise<string[]> {
  const { dataDir, superuser } = cluster;
  const user = await accountOf(dataDir);
  await settle(dataDir, port, user);
  const folder = await mkdtemp("/tmp/oxbow-fork-");
  try {
    const rules = join(folder, "hba.conf");
    await writeFile(rules, "local all all trust\n");
    await chmod(folder, 0o700);
    if (user !== undefined) {
      await chown(rules, user.uid, user.gid);
      await chown(folder, user.uid, user.gid);
    }
    await startCluster(cluster, [
      ["listen_addresses", ""],
      ["unix_socket_directories", folder],
      ["hba_file", rules],
    ]);
    try {
      const urlOf = (database: string): string =>
        `postgres://${encodeURIComponent(superuser)}@localhost:${port}/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}`;
      return await holdAll(urlOf, copiedAt);
    } finally {
      await stopCluster(cluster);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function settle(dataDir: string, port: number, user: Account | undefined): Promise<void> {
  const configuration = join(dataDir, "postgresql.conf");
  const automatic = join(dataDir, "postgresql.auto.conf");
  for (const path of [configuration, automatic]) await replaceLink(path, user);
  const settings = Object.entries({ ...ISOLATED, port: String(port) });
  await appendFile(
    automatic,
    `# Written by oxbow fork.\n${settings.map(([name, value]) => `${name} = '${value}'\n`).join("")}`,
  );
  // The other file can't have this setting.
  if (existsSync(configuration) && LEADS_ELSEWHERE.test(await readFile(configuration, "utf8"))) {
    await appendFile(
      configuration,
      `\n# Written by oxbow fork.\ndata_directory = '${dataDir.replaceAll("'", "''")}'\n`,
    );
  }
  const missing = { "postgresql.conf": "", "pg_hba.conf": HOST_RULES, "pg_ident.conf": "" };
  for (const [name, content] of Object.entries(missing)) {
    const path = join(dataDir, name);
    if (existsSync(path)) continue;
    await writeFile(path, content, { mode: 0o600 });
    if (user !== undefined) await chown(path, user.uid, user.gid);
  }
  for (const name of ["standby.signal", "recovery.signal"]) {
    await rm(join(dataDir, name), { force: true });
  }
}

/** A link may lead to a file of the source. */
async function replaceLink(path: string, user: Account | undefined): Promise<void> {
  if (!existsSync(path) || !(await lstat(path)).isSymbolicLink()) return;
  const content = await readFile(path);
  await rm(path);
  await writeFile(path, content, { mode: 0o600 });
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

async function holdAll(urlOf: (database: string) => string, copiedAt: Date): Promise<string[]> {
  const names = await withDatabase(urlOf("template1"), databaseNames);
  const held: string[] = [];
  for (const name of names) {
    await withDatabase(urlOf(name), async (client) => {
      if (!(await knowsIncarnations(client))) return;
      await holdIncarnation(client, { origin: "fork of a cluster", copiedAt });
      held.push(name);
    });
  }
  return held;
}

export async function startCluster(
  { dataDir, programs }: ColdCluster,
  settings: readonly (readonly [name: string, value: string])[] = [],
): Promise<void> {
  const user = await accountOf(dataDir);
  // A file that the configuration includes may name the directory of the source.
  const options = [...settings, ["data_directory", dataDir] as const]
    .map(([name, value]) => `-c ${name}='${value.replaceAll("'", String.raw`'\''`)}'`)
    .join(" ");
  await programs(
    "pg_ctl",
    [
      "start",
      "--wait",
      "--silent",
      `--timeout=${START_WITHIN_S}`,
      `--pgdata=${dataDir}`,
      `--log=${join(dataDir, "oxbow-fork.log")}`,
      `--options=${options}`,
    ],
    { user },
  );
}

export async function stopCluster({ dataDir, programs }: ColdCluster): Promise<void> {
  const user = await accountOf(dataDir);
  await programs("pg_ctl", ["stop", "--wait", "--silent", "--mode=fast", `--pgdata=${dataDir}`], {
    user,
  });
}

export const isRunning = (dataDir: string): boolean => readPidFile(dataDir) !== undefined;
