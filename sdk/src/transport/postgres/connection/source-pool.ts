/**
 * Connections to a database that holds no Oxbow: the data sources of nodes. Their url may name several servers, as that of
 * Oxbow may.
 */
import { within } from "../../../async/within.ts";
import { InvalidArgument } from "../../../core/errors.ts";
import { type NamedServer, readServerList } from "./server-list.ts";
import { Servers } from "./servers.ts";
import pg from "pg";

const MOST_CONNECTIONS = 10;
/** As long as an attempt of a node may take by default. */
const CONNECT_WITHIN_MS = 30_000;
const CLOSE_WITHIN_MS = 2_000;

export class SourcePool {
  readonly #servers: Servers;
  readonly #pool: pg.Pool;

  /**
   * Connects when it is used.
   *
   * @throws InvalidArgument, without the url, which may contain a password.
   */
  constructor(url: string) {
    if (!/^postgres(?:ql)?:\/\//i.test(url)) throw malformed();
    requireReadable(url);
    this.#servers = new Servers(url);
    this.#pool = new pg.Pool({
      Client: this.#servers.Client,
      max: MOST_CONNECTIONS,
      application_name: "oxbow",
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    });
    // A connection that is lost while it is idle is replaced.
    this.#pool.on("error", () => {});
  }

  connect(): Promise<pg.PoolClient> {
    return this.#servers.connectBy(() => this.#pool.connect());
  }

  /** Resolves soon, also if a statement doesn't end. */
  async close(): Promise<void> {
    await within(CLOSE_WITHIN_MS, this.#pool.end());
  }
}

/** The driver reads the url when it makes a client, without connecting. Some of its errors quote the url. */
function requireReadable(url: string): void {
  try {
    readServerList(url).servers.map(toClient);
  } catch (error) {
    if (error instanceof InvalidArgument) throw error;
    const { code, path } = error as NodeJS.ErrnoException;
    // The url names a file, such as a certificate.
    if (code === "ENOENT" && path !== undefined) {
      throw new InvalidArgument(`The url names the file "${path}", which doesn't exist.`);
    }
    throw malformed();
  }
}

const toClient = ({ url }: NamedServer): pg.Client => new pg.Client({ connectionString: url });

const malformed = (): InvalidArgument =>
  new InvalidArgument(
    "The url is not one of Postgres: give one like postgres://reader:password@db:5432/shop, with /, ?, # and @ of the password encoded.",
  );
