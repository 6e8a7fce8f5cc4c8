/** A Postgres whose log is archived, so that it can be restored to a moment of its past, as another server. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { askOnce } from "./ask-once.ts";
import { programsAhead } from "./clock-ahead.ts";
import { createInstalled, startCluster } from "./clusters.ts";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

const DATABASE = "shard";

export class ArchivedServer {
  readonly url: string;
  readonly query: ReturnType<typeof askOnce>;
  readonly #cluster: Cluster;
  readonly #folder: string;
  #restored = 0;

  private constructor(cluster: Cluster, folder: string, url: string) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.url = url;
    this.query = askOnce(url);
  }

  /**
   * Stops with the test file.
   *
   * @param ahead How far its clock is ahead of that of the machine, such as `3s`, where libfaketime is installed.
   */
  static async start(ahead?: string): Promise<ArchivedServer> {
    const folder = mkdtempSync(join(tmpdir(), "oxbow-archived-"));
    chmodSync(folder, 0o755);
    const archive = join(folder, "archive");
    mkdirSync(archive);
    const programs = join(folder, "programs");
    mkdirSync(programs);
    const cluster = await startCluster({
      ...(ahead === undefined ? {} : programsAhead(programs, ahead)),
      durable: false,
      settings: {
        wal_level: "replica",
        archive_mode: "on",
        archive_command: `cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
      },
    });
    giveToOwnerOf(cluster.dataDir, archive);
    atFileEnd(async () => {
      await cluster.stop({ mode: "immediate" });
      rmSync(folder, { recursive: true, force: true });
    });
    return new ArchivedServer(cluster, folder, await createInstalled(cluster, DATABASE));
  }

  /** Copies the files of the server while it works. */
  async backUp(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query("select pg_backup_start('test', true)");
      execFileSync("cp", ["-a", this.#cluster.dataDir, this.#backup]);
      const { rows } = await client.query<{ label: string }>(
        "select labelfile as label from pg_backup_stop(false)",
      );
      this.#write(this.#backup, "backup_label", rows[0]?.label ?? "");
      rmSync(join(this.#backup, "postmaster.pid"));
    } finally {
      await client.end();
    }
  }

  /** Until the archive has all that was written so far. Then the server is gone. */
  async end(): Promise<void> {
    const [row] = await this.query(
      "select pg_walfile_name(pg_current_wal_insert_lsn()) as file, pg_switch_wal()",
    );
    await eventually(() => existsSync(join(this.#folder, "archive", String(row?.["file"]))), true);
    await this.#cluster.kill();
  }

  /**
   * Restores the copy, and what the archive has up to a target, as another server, which stops with the test file. Returns
   * its url.
   */
  async restore(target: Readonly<Record<string, string>>): Promise<string> {
    this.#restored += 1;
    const dataDir = join(this.#folder, `restored-${this.#restored}`);
    execFileSync("cp", ["-a", this.#backup, dataDir]);
    this.#write(dataDir, "recovery.signal", "");
    const cluster = await startPostgres({
      dataDir,
      durable: false,
      settings: {
        restore_command: `cp ${this.#folder}/archive/%f %p`,
        recovery_target_action: "promote",
        ...target,
      },
    });
    atFileEnd(() => cluster.stop({ mode: "immediate" }));
    const url = cluster.urlOf(DATABASE);
    // It accepts reads before.
    await eventually(() => askOnce(url)("select where not pg_is_in_recovery()"), { length: 1 });
    return url;
  }

  get #backup(): string {
    return join(this.#folder, "backup");
  }

  #write(folder: string, name: string, text: string): void {
    const path = join(folder, name);
    writeFileSync(path, text);
    giveToOwnerOf(this.#cluster.dataDir, path);
  }
}

/** Postgres runs under another account than root. */
function giveToOwnerOf(dataDir: string, path: string): void {
  const { uid, gid } = statSync(dataDir);
  chownSync(path, uid, gid);
}
