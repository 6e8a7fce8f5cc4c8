/**
 * A PgBouncer that pools by transaction, in front of a test's database. Tests that need it are left out where it isn't
 * installed (`apt-get install pgbouncer`); CI installs it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

const BINARY = "/usr/sbin/pgbouncer";
/** PgBouncer refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export const isPgBouncerInstalled = existsSync(BINARY);

export interface PgBouncerOptions {
  /** Sessions of the database that all clients share. Default 3. */
  readonly poolSize?: number;
}

/** Starts a proxy; it ends with the test file. */
export async function startPgBouncer(
  databaseUrl: string,
  { poolSize = 3 }: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const ownPort = await freePort();
  const directory = await mkdtemp(join(tmpdir(), "oxbow-pgbouncer-"));
  await chmod(directory, 0o755);
  const config = join(directory, "pgbouncer.ini");
  await writeFile(
    config,
    [
      "[databases]",
      `* = host=${hostname} port=${port} user=${username}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${ownPort}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${poolSize}`,
      "max_client_conn = 200",
      "server_login_retry = 1",
      "",
    ].join("\n"),
  );
  const proxy = new PgBouncer(
    config,
    ownPort,
    `postgres://${username}@127.0.0.1:${ownPort}${pathname}`,
  );
  atFileEnd(async () => {
    await proxy.kill();
    await rm(directory, { recursive: true });
  });
  await proxy.start();
  return proxy;
}

export class PgBouncer {
  /** Url of the database, through the proxy. */
  readonly url: string;
  readonly #config: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(config: string, port: number, url: string) {
    this.#config = config;
    this.#port = port;
    this.url = url;
  }

  /** Resolves when connections are accepted. */
  async start(): Promise<void> {
    const user = process.getuid?.() === 0 ? NOBODY : {};
    const started = spawn(BINARY, ["--quiet", this.#config], {
      ...user,
      cwd: "/",
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#process = started;
    await eventually(async () => started.exitCode !== null || this.#accepts(), true);
    if (started.exitCode !== null) throw new Error(`PgBouncer ended with ${started.exitCode}.`);
  }

  /** SIGKILL: all connections end immediately. */
  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "close");
  }

  async #accepts(): Promise<boolean> {
    const socket = connect({ host: "127.0.0.1", port: this.#port });
    try {
      await once(socket, "connect");
      return true;
    } finally {
      socket.destroy();
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen({ host: "127.0.0.1", port: 0 });
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("No port to be had.");
  return address.port;
}
