/**
 * Connections to the servers of a url: where there are several, to the primary, wherever it is after a failover. The
 * driver knows one server for each connection.
 *
 * Owns the choice of the server. Promises:
 *   E1  A connection is handed out only if its server is as the url wants it, which is checked after each connect: a
 *       former primary may come back as a standby.
 *   E2  All servers are asked concurrently, so that a silent one delays nothing, and the first that fits is chosen. The
 *       choice holds until a connection to it fails.
 *   E3  If no server fits, the error names all of them, each with its reason.
 *   E4  A url of one server without `target_session_attrs` costs no round trip.
 */
import { type ServerState, serverState } from "./calls.ts";
import { NoServerFits, WrongServer } from "./no-server-fits.ts";
import { type NamedServer, type SessionAttributes, readServerList } from "./server-list.ts";
import { Sockets, cutConnection } from "./sockets.ts";
import { callbackify } from "node:util";
import pg from "pg";

/** When a connection to the chosen server takes longer, the others are asked, too. */
const PATIENCE_MS = 3_000;
/** How long a server may take to answer what it is. */
const ASK_WITHIN_MS = 5_000;
/** A server that is used because no better one answers is chosen for that long. */
const MAKESHIFT_MS = 30_000;

const FITS: Readonly<Record<SessionAttributes, (state: ServerState) => boolean>> = {
  any: () => true,
  "read-write": ({ isReadOnly }) => !isReadOnly,
  "read-only": ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  "prefer-standby": () => true,
};

export class Servers {
  /** Where they are, in words. */
  readonly target: string;
  /** Makes clients of the chosen server. For a pool, which connects them by `connectBy`. */
  readonly Client: new (config?: pg.ClientConfig) => pg.Client;
  readonly #servers: readonly NamedServer[];
  readonly #wanted: SessionAttributes;
  readonly #sockets: Sockets;
  #chosen: NamedServer | undefined;
  #chosenUntil = Infinity;
  #choosing: Promise<NamedServer> | undefined;
  readonly #sessionStarts = new WeakMap<pg.ClientBase, string>();

  /** @throws InvalidArgument */
  constructor(url: string, sockets: Sockets = new Sockets()) {
    const { servers, wanted } = readServerList(url);
    const [first, ...others] = servers;
    this.#servers = servers;
    this.#wanted = wanted;
    this.#sockets = sockets;
    this.target = describe(servers);
    if (others.length === 0 && wanted === "any") this.#chosen = first;
    this.Client = this.#chosen === undefined ? this.#checkedClient() : this.#plainClient();
  }

  /** A new connection, whose errors only its statements report. */
  connect(config: pg.ClientConfig): Promise<pg.Client> {
    return this.connectBy(async () => {
      const client = new this.Client(config);
      try {
        await client.connect();
        return client;
      } catch (error) {
        void client.end().catch(() => {});
        throw error;
      }
    });
  }

  /** Connects by `open`, and once more if the server that was chosen before is gone, or no longer fits. */
  async connectBy<Value>(open: () => Promise<Value>): Promise<Value> {
    const before = this.#chosen;
    await this.#choose();
    try {
      return await open();
    } catch (error) {
      if (before === undefined || this.#chosen === before) throw error;
      await this.#choose();
      return open();
    }
  }

  /** When the session of a connection began, by its server; undefined of one server that is not asked what it is. */
  sessionStartOf(client: pg.ClientBase): string | undefined {
    return this.#sessionStarts.get(client);
  }

  async #choose(): Promise<void> {
    if (this.#chosen === undefined || performance.now() > this.#chosenUntil) await this.#ask();
  }

  /** One question at a time for all that wait. */
  #ask(): Promise<NamedServer> {
    this.#choosing ??= this.#find().finally(() => {
      this.#choosing = undefined;
    });
    return this.#choosing;
  }

  async #find(): Promise<NamedServer> {
    const reasons = new Map<NamedServer, unknown>();
    const asked = this.#servers.map((server) => ({ server, state: this.#stateOf(server) }));
    const first = (wanted: SessionAttributes): Promise<NamedServer> =>
      Promise.any(
        asked.map(async ({ server, state }) => {
          try {
            requireFit(wanted, await state);
            return server;
          } catch (error) {
            reasons.set(server, error);
            throw error;
          }
        }),
      );
    this.#chosenUntil = Infinity;
    try {
      if (this.#wanted !== "prefer-standby") {
        this.#chosen = await first(this.#wanted);
        return this.#chosen;
      }
      this.#chosen = await first("standby").catch(() => {
        this.#chosenUntil = performance.now() + MAKESHIFT_MS;
        return first("any");
      });
      return this.#chosen;
    } catch {
      throw new NoServerFits(
        this.#wanted,
        this.#servers.map((server) => ({ name: server.name, reason: reasons.get(server) })),
      );
    }
  }

  /** What a server is at the moment. */
  async #stateOf({ url }: NamedServer): Promise<ServerState> {
    const client = new pg.Client({
      connectionString: url,
      application_name: "oxbow",
      connectionTimeoutMillis: ASK_WITHIN_MS,
      stream: this.#sockets.make,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      return await askState(client);
    } finally {
      void client.end().catch(() => {});
    }
  }

  #plainClient(): Servers["Client"] {
    const { url } = this.#current;
    const stream = this.#sockets.make;
    return class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super({ ...config, stream, connectionString: url });
        this.on("error", () => {});
      }
    };
  }

  #checkedClient(): Servers["Client"] {
    const current = (): NamedServer => this.#current;
    const wanted = this.#wanted;
    const stream = this.#sockets.make;
    const sessionStarts = this.#sessionStarts;
    const forget = (server: NamedServer): void => {
      if (this.#chosen === server) this.#chosen = undefined;
    };
    const isElsewhere = async (server: NamedServer): Promise<boolean> =>
      (await this.#ask()) !== server;
    return class extends pg.Client {
      readonly #server: NamedServer;

      constructor(config?: pg.ClientConfig) {
        const server = current();
        super({ ...config, stream, connectionString: server.url });
        this.#server = server;
        this.on("error", () => {});
      }

      override connect(): Promise<pg.Client>;
      override connect(done: (error: Error | null) => void): void;
      override connect(done?: (error: Error | null) => void): Promise<pg.Client> | undefined {
        if (done === undefined) return this.#connect();
        callbackify(() => this.#connect())((error) => done(error));
        return undefined;
      }

      async #connect(): Promise<this> {
        const impatience = setTimeout(() => void this.#look(), PATIENCE_MS).unref();
        try {
          await super.connect();
          const state = await askState(this);
          requireFit(wanted, state);
          sessionStarts.set(this, state.sessionStart);
          return this;
        } catch (error) {
          forget(this.#server);
          void this.end().catch(() => {});
          throw error;
        } finally {
          clearTimeout(impatience);
        }
      }

      async #look(): Promise<void> {
        if (await isElsewhere(this.#server).catch(() => false)) cutConnection(this);
      }
    };
  }

  /** To be checked, if no server is chosen. */
  get #current(): NamedServer {
    const server = this.#chosen ?? this.#servers[0];
    if (server === undefined) throw new Error("The url names no server.");
    return server;
  }
}

async function askState(client: pg.Client): Promise<ServerState> {
  const question = { text: serverState.text, query_timeout: ASK_WITHIN_MS };
  const { rows } = await client.query<ServerState & pg.QueryResultRow>(question);
  const [state] = rows;
  if (state === undefined) throw new Error("The server did not answer what it is.");
  return state;
}

/** @throws WrongServer */
function requireFit(wanted: SessionAttributes, state: ServerState): void {
  if (FITS[wanted](state)) return;
  const { isStandby, isReadOnly } = state;
  throw new WrongServer(
    isStandby ? "is a standby" : isReadOnly ? "is read-only" : "is the primary",
  );
}

/** The database and its servers, without role and password. */
function describe(servers: readonly NamedServer[]): string {
  const names = servers.map(({ name }) => name).join(", ");
  try {
    const { pathname } = new URL(servers[0]?.url ?? "");
    return `database "${decodeURIComponent(pathname.slice(1))}" on ${names}`;
  } catch {
    return "the database";
  }
}
