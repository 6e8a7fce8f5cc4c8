/**
 * Postgres clusters that Patroni keeps available: a primary, and a synchronous standby that takes over. Made of Debian's
 * packages `patroni`, `etcd-server` and `postgresql-15`; tests that need them are left out elsewhere.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseServerUser, findFreePort } from "@oxbow/sdk/internal/testing";
import { askOnce } from "./ask-once.ts";
import { debianPostgres } from "./debian-postgres.ts";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

const PATRONI = "/usr/bin/patroni";
const ETCD = "/usr/bin/etcd";

export const hasPatroni = debianPostgres.isInstalled && existsSync(PATRONI) && existsSync(ETCD);

/** A primary is replaced when it has not been heard of for so long. */
const TTL_SECONDS = 10;

interface Member {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly restPort: number;
  patroni: ChildProcess | undefined;
}

/** As Patroni's REST interface reports it. */
interface ReportedMember {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** The store in which the members of all clusters elect their primaries. */
export async function startEtcd(): Promise<string> {
  const folder = newFolder("etcd");
  const [clients, peers] = await Promise.all([findFreePort(), findFreePort()]);
  const url = `http://127.0.0.1:${clients}`;
  const peerUrl = `http://127.0.0.1:${peers}`;
  const etcd = start(ETCD, folder, [
    `--data-dir=${join(folder, "data")}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ]);
  atFileEnd(async () => {
    await end(etcd, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(async () => (await fetch(`${url}/health`)).ok, true);
  return url;
}

export class PatroniCluster {
  readonly #members: readonly Member[];

  private constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** Resolves once its standby is synchronous. Stopped at the end of the file. */
  static async start(scope: string, etcdUrl: string): Promise<PatroniCluster> {
    const folder = newFolder(scope);
    const members = await Promise.all(
      ["one", "two"].map(async (name) => {
        const [port, restPort] = await Promise.all([findFreePort(), findFreePort()]);
        const own = join(folder, name);
        makeFolder(own);
        const member: Member = { name, folder: own, port, restPort, patroni: undefined };
        // JSON is YAML.
        const config = JSON.stringify(configOf(scope, member, etcdUrl));
        writeFileSync(join(own, "patroni.yml"), config);
        return member;
      }),
    );
    const cluster = new PatroniCluster(members);
    for (const member of members) cluster.#run(member);
    atFileEnd(async () => {
      await Promise.all(members.map(({ patroni }) => end(patroni, "SIGTERM")));
      rmSync(folder, { recursive: true, force: true });
    });
    await cluster.hasSynchronousStandby();
    return cluster;
  }

  /** All members, and the attribute that leads to the one that accepts writes. */
  urlOf(database: string): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  }

  async createDatabase(name: string): Promise<string> {
    await this.onPrimary("postgres", `create database "${name}"`);
    return this.urlOf(name);
  }

  /** Runs a statement on the primary. */
  async onPrimary(database: string, statement: string): Promise<Record<string, unknown>[]> {
    const { port } = await this.#leader();
    return askOnce(`postgres://postgres@127.0.0.1:${port}/${database}`)(statement);
  }

  /** SIGKILL to the primary and to its Patroni, which then can't report the death. Returns its name. */
  async killPrimary(): Promise<string> {
    const leader = await this.#leader();
    const [pid] = readFileSync(join(leader.folder, "data/postmaster.pid"), "utf8").split("\n");
    await end(leader.patroni, "SIGKILL");
    process.kill(Number(pid), "SIGKILL");
    return leader.name;
  }

  /** The standby has taken over from it. */
  async hasReplaced(name: string): Promise<void> {
    await eventually(
      () => this.#leader(),
      (leader) => leader.name !== name,
      { withinMs: 120_000 },
    );
  }

  /** The killed member is started again, and follows the new primary. */
  async returns(name: string): Promise<void> {
    for (const member of this.#members) if (member.name === name) this.#run(member);
    await this.hasSynchronousStandby();
  }

  async hasSynchronousStandby(): Promise<void> {
    await eventually(
      () => this.#report(),
      (members) =>
        members.some(({ role, state }) => role === "leader" && state === "running") &&
        members.some(({ role }) => role === "sync_standby"),
      { withinMs: 120_000 },
    );
  }

  #run(member: Member): void {
    member.patroni = start(PATRONI, member.folder, [join(member.folder, "patroni.yml")]);
  }

  async #leader(): Promise<Member> {
    return eventually(
      async () => {
        const members = await this.#report();
        const name = members.find(({ role }) => role === "leader")?.name;
        const member = this.#members.find((one) => one.name === name);
        if (member === undefined) throw new Error(`No primary: ${JSON.stringify(members)}`);
        return member;
      },
      () => true,
      { withinMs: 120_000 },
    );
  }

  /** From any member that runs. */
  async #report(): Promise<readonly ReportedMember[]> {
    return Promise.any(
      this.#members.map(async ({ restPort }) => {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`);
        const { members } = (await response.json()) as { members: ReportedMember[] };
        return members;
      }),
    );
  }
}

function configOf(
  scope: string,
  { name, folder, port, restPort }: Member,
  etcdUrl: string,
): object {
  const trusted = ["local all all trust", "host all all 127.0.0.1/32 trust"];
  return {
    scope,
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: new URL(etcdUrl).host },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 1,
        retry_timeout: 3,
        // Only a standby that has every acknowledged commit takes over.
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, "data"),
      bin_dir: debianPostgres.binDir,
      pgpass: join(folder, "pgpass"),
      authentication: {
        superuser: { username: "postgres" },
        replication: { username: "replicator" },
        rewind: { username: "postgres" },
      },
      basebackup: [{ checkpoint: "fast" }],
      parameters: { unix_socket_directories: folder, max_connections: 100 },
      pg_hba: [...trusted, "host replication all 127.0.0.1/32 trust"],
    },
  };
}

/** Postgres refuses to run as root. */
const account = chooseServerUser(undefined);

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `oxbow-${name}-`));
  chmodSync(folder, 0o755);
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

function makeFolder(path: string): void {
  mkdirSync(path, { mode: 0o755 });
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

function start(program: string, folder: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, "log"), "a");
  const child = spawn(program, args, {
    ...account,
    cwd: folder,
    env: { LC_ALL: "C.UTF-8", TZ: "UTC", PATH: "/usr/bin:/bin", HOME: folder },
    stdio: ["ignore", log, log],
  });
  process.on("exit", () => void child.kill("SIGTERM"));
  return child;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill(signal);
  await ended;
}
