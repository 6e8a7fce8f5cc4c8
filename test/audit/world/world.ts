/** A system under test: a database, a network in front of it, a server, a pooler, and workers over every lane. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { isPgBouncerInstalled, type PgBouncer, startPgBouncer } from "../../helpers/pgbouncer.ts";
import type { WorkerSettings } from "../programs/audited-worker.ts";
import type { Lane } from "../record.ts";
import { prepareWorkload } from "../workload/queues.ts";
import type { Auditor } from "./auditor.ts";
import type { Database } from "../../helpers/standby.ts";
import { Post } from "./post.ts";
import { FaultyNetwork } from "../../helpers/faulty-network.ts";
import { findFreePort } from "./free-port.ts";
import { program, SERVER } from "./program.ts";

export interface WorldOptions {
  readonly auditor: Auditor;
  /** Holds the files of the run, and the marks of mended trials. */
  readonly folder: string;
  /** Number of workers by lane; default: two direct, one through the server, one through PgBouncer. */
  readonly workers?: Partial<Readonly<Record<Lane, number>>>;
  /** Makes the database's server; default one with durable commits. */
  readonly cluster?: () => Promise<Database>;
  /** Between the installation and the first worker. */
  readonly prepare?: (world: { url: string; cluster: Database }) => Promise<void>;
  /** Flags of node for workers. */
  readonly flags?: readonly string[];
  readonly lease?: string;
  readonly concurrency?: number;
}

const DATABASE = "audited";

export const USUAL_SETTINGS = {
  max_connections: "120",
  max_prepared_transactions: "4",
  deadlock_timeout: "200ms",
} as const;

const UNTOUCHED = Object.entries({
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  default_transaction_read_only: "off",
  default_transaction_isolation: "read\\ committed",
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

const USUAL_WORKERS = { direct: 2, http: 1, bouncer: 1 } as const;

export class World {
  readonly auditor: Auditor;
  readonly network: FaultyNetwork;
  /** That of only the first direct worker. */
  readonly apart: FaultyNetwork;
  /** That between the server and those who reach the database through it. */
  readonly relay: FaultyNetwork | undefined;
  /** That of PgBouncer, which runs next to the database: it changes only with a failover. */
  readonly backbone: FaultyNetwork;
  readonly mended: string;
  readonly workers: readonly Post[];
  readonly server: Post | undefined;
  readonly bouncer: PgBouncer | undefined;
  readonly urls: Partial<Readonly<Record<Lane, string>>>;
  cluster: Database;

  private constructor(parts: {
    auditor: Auditor;
    network: FaultyNetwork;
    apart: FaultyNetwork;
    relay: FaultyNetwork | undefined;
    backbone: FaultyNetwork;
    mended: string;
    workers: readonly Post[];
    server: Post | undefined;
    bouncer: PgBouncer | undefined;
    urls: Partial<Record<Lane, string>>;
    cluster: Database;
  }) {
    this.auditor = parts.auditor;
    this.network = parts.network;
    this.apart = parts.apart;
    this.relay = parts.relay;
    this.backbone = parts.backbone;
    this.mended = parts.mended;
    this.workers = parts.workers;
    this.server = parts.server;
    this.bouncer = parts.bouncer;
    this.urls = parts.urls;
    this.cluster = parts.cluster;
  }

  static async start(options: WorldOptions): Promise<World> {
    const { auditor, folder, flags = [], workers: counts = USUAL_WORKERS } = options;
    const makeCluster =
      options.cluster ?? (() => startPostgres({ durable: true, settings: USUAL_SETTINGS }));
    const cluster = await makeCluster();
    const url = await cluster.createDatabase(DATABASE);
    await migrate(url);
    await prepareWorkload(url);
    await options.prepare?.({ url, cluster });

    const network = await FaultyNetwork.before(cluster.urlOf(DATABASE));
    const apart = await FaultyNetwork.before(cluster.urlOf(DATABASE));
    const backbone = await FaultyNetwork.before(cluster.urlOf(DATABASE));
    const mended = join(folder, "mended");
    mkdirSync(mended, { recursive: true });
    const urls: Partial<Record<Lane, string>> = { direct: network.url };
    const { server, relay } =
      (counts.http ?? 0) > 0 ? await startServerPost(auditor, network.url) : {};
    if (relay !== undefined) urls.http = relay.url;
    const hasBouncer = (counts.bouncer ?? 0) > 0 && isPgBouncerInstalled;
    const bouncer = hasBouncer ? await startPgBouncer(backbone.url, { poolSize: 20 }) : undefined;
    if (bouncer !== undefined) urls.bouncer = bouncer.url;
    const workers = (Object.entries(urls) as [Lane, string][]).flatMap(([lane, way]) =>
      Array.from({ length: counts[lane] ?? 0 }, (_, index) => {
        const settings: WorkerSettings = {
          auditor: auditor.port,
          url: lane === "direct" && index === 0 ? apart.url : way,
          lane,
          mended,
          ...(options.lease === undefined ? {} : { lease: options.lease }),
          ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        };
        return new Post({
          script: program("audited-worker"),
          args: [JSON.stringify(settings)],
          ready: /^serving/,
          flags,
        });
      }),
    );
    await Promise.all(workers.map((worker) => worker.ready()));
    return new World({
      auditor,
      network,
      apart,
      relay,
      backbone,
      mended,
      workers,
      server,
      bouncer,
      urls,
      cluster,
    });
  }

  /** The networks that network faults apply to. */
  get networks(): readonly FaultyNetwork[] {
    return [this.network, this.apart];
  }

  /** Straight to the database, past the network. */
  get url(): string {
    return this.cluster.urlOf(DATABASE);
  }

  /** A session straight to the database; end it. */
  async connect(database = DATABASE): Promise<pg.Client> {
    const session = new pg.Client({
      connectionString: this.cluster.urlOf(database),
      application_name: "fault",
      connectionTimeoutMillis: 10_000,
      // The settings that a fault makes for the database don't apply to the fault's own sessions.
      options: UNTOUCHED,
    });
    session.on("error", () => {});
    await session.connect();
    return session;
  }

  /** A query straight to the database, on a new connection. */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const session = await this.connect();
    try {
      return (await session.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await session.end();
    }
  }

  /** Ends the sessions of the system under test, so that new ones come with the settings of the database. */
  async endSessions(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and application_name not in ('auditor', 'fault')`,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    await this.server?.close();
    await this.bouncer?.kill();
    await Promise.all([...this.networks, this.backbone].map((network) => network.close()));
    await this.relay?.close();
    await this.cluster.stop({ mode: "immediate" });
  }
}

async function startServerPost(
  auditor: Auditor,
  databaseUrl: string,
): Promise<{ server: Post; relay: FaultyNetwork }> {
  const port = await findFreePort();
  const server = new Post({
    script: program("audited-server"),
    args: [String(auditor.port), SERVER.href],
    env: { DATABASE_URL: databaseUrl, PORT: String(port), HOST: "127.0.0.1", OXBOW_TOKENS: "" },
    ready: /^Oxbow serves/,
  });
  await server.ready();
  return { server, relay: await FaultyNetwork.before(`http://127.0.0.1:${port}`) };
}
