/**
 * A LISTEN connection.
 *
 * Owns the session: the channels that it listens on, and the locks by which senders see that a client waits (a shared
 * advisory lock on the channel's key; see `queue._is_awaited`). Promises:
 *   L1  A lost connection is set up again with backoff, with every channel and lock; `onConnected` is called each
 *       time, because what was notified in between is lost.
 *   L2  `awaitChannel` resolves once senders can see the wait, immediately while there is no connection, and after a
 *       moment in any case: hints are never needed for correctness.
 *   L3  Nothing is connected before the first use, nor where it turns out that there is no session to be had.
 *   L4  A connection that silently stopped working (its machine is gone, a firewall has forgotten it) is found by a
 *       regular query, and replaced. Callers wait for that only for a moment.
 */
import { sleep } from "../../../async/sleep.ts";
import { within } from "../../../async/within.ts";
import { mayPass } from "../../../protocol/blame.ts";
import { armWake, disarmWake } from "./calls.ts";
import { Servers } from "./servers.ts";
import { Sockets, cutConnection } from "./sockets.ts";
import type pg from "pg";

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1_000;
/** Firewalls and load balancers forget a connection that was silent for minutes. */
const ASK_EVERY_MS = 30_000;
/** How long a caller waits for a lock that only makes hints arrive sooner. */
const MOMENT_MS = 1_000;

export interface ChannelHandler {
  onNotification(payload: string): void;
  /** The connection was set up (again): whatever came before may have been missed. */
  onConnected(): void;
}

export interface ListenerOptions {
  readonly url: string;
  readonly applicationName: string;
  /** Asked before the first connection; false for ever. Rejects while it is unknown. */
  readonly mayListen: () => Promise<boolean>;
  /** How long an answer may take; then the connection counts as lost. */
  readonly answerWithinMs: number;
}

/** The part of a listener that its users need. */
export interface Listening {
  /** Whether hints arrive. */
  readonly connected: boolean;
  /** Calls the handler for every notification on the channel, until the returned function is called. */
  listen(channel: string, handler: ChannelHandler): () => void;
  /** Lets senders see that this session waits for a channel. Once for each `forgetChannel`. */
  awaitChannel(channel: string): Promise<void>;
  /** The opposite of `awaitChannel`. */
  forgetChannel(channel: string): void;
  /** Another connection has fallen silent: so may this one. */
  suspect(): void;
  close(): Promise<void>;
}

export class Listener implements Listening {
  readonly #sockets = new Sockets();
  readonly #servers: Servers;
  readonly #config: pg.ClientConfig;
  readonly #mayListen: () => Promise<boolean>;
  readonly #answerWithinMs: number;
  readonly #closing = new AbortController();
  readonly #handlers = new Map<string, Set<ChannelHandler>>();
  readonly #awaited = new Map<string, number>();
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;
  #sent: Promise<void> = Promise.resolve();
  readonly #unsent: string[] = [];

  constructor({ url, applicationName, mayListen, answerWithinMs }: ListenerOptions) {
    this.#servers = new Servers(url, this.#sockets);
    this.#config = {
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      query_timeout: answerWithinMs,
    };
    this.#mayListen = mayListen;
    this.#answerWithinMs = answerWithinMs;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  listen(channel: string, handler: ChannelHandler): () => void {
    const handlers = this.#handlers.get(channel);
    if (handlers === undefined) {
      this.#handlers.set(channel, new Set([handler]));
      void this.#send(`listen "${channel}"`);
    } else {
      handlers.add(handler);
    }
    this.#running ??= this.#keepConnected();
    return () => this.#unlisten(channel, handler);
  }

  async awaitChannel(channel: string): Promise<void> {
    const count = this.#awaited.get(channel) ?? 0;
    this.#awaited.set(channel, count + 1);
    await within(MOMENT_MS, count === 0 ? this.#send(armWake(channel)) : this.#sent);
  }

  forgetChannel(channel: string): void {
    const count = this.#awaited.get(channel) ?? 0;
    if (count > 1) {
      this.#awaited.set(channel, count - 1);
      return;
    }
    this.#awaited.delete(channel);
    void this.#send(disarmWake(channel));
  }

  suspect(): void {
    const client = this.#client;
    if (client === undefined) return;
    void within(MOMENT_MS, this.#send("select 1")).then((isAnswered) => {
      if (!isAnswered && client === this.#client) cutConnection(client);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const ended = Promise.allSettled([this.#client?.end(), this.#running]);
    if (!(await within(MOMENT_MS, ended))) this.#sockets.destroy();
    await ended;
  }

  #unlisten(channel: string, handler: ChannelHandler): void {
    const handlers = this.#handlers.get(channel);
    handlers?.delete(handler);
    if (handlers?.size === 0) {
      this.#handlers.delete(channel);
      void this.#send(`unlisten "${channel}"`);
    }
  }

  /**
   * One after the other; what comes while a round trip is under way goes as the next one. While there is no connection
   * there is nothing to send: the next one begins with all of it.
   */
  #send(statement: string): Promise<void> {
    const client = this.#client;
    if (client === undefined) return Promise.resolve();
    this.#unsent.push(statement);
    if (this.#unsent.length === 1) {
      this.#sent = this.#sent.then(async () => {
        await client.query(this.#unsent.splice(0).join("; ")).catch((error: unknown) => {
          if (mayPass(error)) this.#giveUp(client);
        });
      });
    }
    return this.#sent;
  }

  #giveUp(client: pg.Client): void {
    if (client === this.#client) void client.end().catch(() => {});
  }

  async #keepConnected(): Promise<void> {
    let mayListen: boolean | undefined;
    for (let attempt = 0; !this.#closing.signal.aborted; attempt += 1) {
      mayListen ??= await this.#ask();
      if (mayListen === false) return;
      const lost = mayListen === true ? await this.#connect() : undefined;
      if (lost !== undefined) {
        attempt = 0;
        const asking = setInterval(
          () => void this.#send("select 1"),
          Math.min(ASK_EVERY_MS, this.#answerWithinMs),
        );
        asking.unref();
        await lost();
        clearInterval(asking);
        this.#client = undefined;
      }
      if (this.#closing.signal.aborted) return;
      const ceiling = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
      await sleep(ceiling * (0.5 + Math.random() / 2), this.#closing.signal);
    }
  }

  /** Undefined while it is unknown. */
  async #ask(): Promise<boolean | undefined> {
    try {
      return await this.#mayListen();
    } catch {
      return undefined;
    }
  }

  /** Resolves with the end of the connection, as a function that waits for it; undefined without a connection. */
  async #connect(): Promise<(() => Promise<void>) | undefined> {
    const client = await this.#servers.connect(this.#config).catch(() => {});
    if (client === undefined) return undefined;
    const lost = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.once("error", () => resolve());
    });
    client.on("notification", ({ channel, payload }) => this.#dispatch(channel, payload ?? ""));
    try {
      this.#client = client;
      await this.#sendEverything(client);
    } catch {
      this.#client = undefined;
      await client.end().catch(() => {});
      return undefined;
    }
    if (this.#closing.signal.aborted) await client.end().catch(() => {});
    for (const handler of [...this.#handlers.values()].flatMap((handlers) => [...handlers]))
      handler.onConnected();
    return () => lost;
  }

  /** All that the session has to say; what is added from now on comes after it. */
  #sendEverything(client: pg.Client): Promise<unknown> {
    const statements = [
      "select 1",
      ...[...this.#handlers.keys()].map((channel) => `listen "${channel}"`),
      ...[...this.#awaited.keys()].map((channel) => armWake(channel)),
    ];
    const sent = client.query(statements.join("; "));
    this.#sent = sent.then(
      () => {},
      () => {},
    );
    return sent;
  }

  #dispatch(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler.onNotification(payload);
  }
}
