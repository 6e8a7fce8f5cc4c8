/**
 * One LISTEN connection for all transports of a process that go to the same database: a client and a worker, say, or
 * fifty clients. Each has a share, which takes its channels along when it is closed; the last one ends the connection.
 */
import { type ChannelHandler, Listener, type ListenerOptions, type Listening } from "./listener.ts";

interface Shared {
  readonly listener: Listener;
  readonly shares: Set<Share>;
}

const listeners = new Map<string, Shared>();

/**
 * A share of the connection to that url, by that name. Nothing is connected before the first use.
 *
 * @param isSure Whether it may listen without asking. Otherwise it gets a separate connection, or doesn't listen.
 */
export function shareListener(options: ListenerOptions, isSure: boolean): Listening {
  const { url, applicationName, answerWithinMs } = options;
  const key = JSON.stringify([url, applicationName, answerWithinMs, isSure]);
  let shared = listeners.get(key);
  if (shared === undefined) {
    const shares = new Set<Share>();
    // A share may have been closed since: then another one is asked.
    const mayListen = async (): Promise<boolean> => {
      const [share] = shares;
      if (share === undefined) return false;
      return share.mayListen();
    };
    shared = { listener: new Listener({ ...options, mayListen }), shares };
    listeners.set(key, shared);
  }
  const { listener, shares } = shared;
  const share: Share = new Share(listener, options.mayListen, async () => {
    shares.delete(share);
    if (shares.size > 0) return;
    listeners.delete(key);
    await listener.close();
  });
  shares.add(share);
  return share;
}

class Share implements Listening {
  readonly mayListen: () => Promise<boolean>;
  readonly #listener: Listener;
  readonly #giveBack: () => Promise<void>;
  readonly #unlisten = new Set<() => void>();
  readonly #awaited: string[] = [];
  #closed: Promise<void> | undefined;

  constructor(
    listener: Listener,
    mayListen: () => Promise<boolean>,
    giveBack: () => Promise<void>,
  ) {
    this.#listener = listener;
    this.mayListen = mayListen;
    this.#giveBack = giveBack;
  }

  get connected(): boolean {
    return this.#closed === undefined && this.#listener.connected;
  }

  listen(channel: string, handler: ChannelHandler): () => void {
    if (this.#closed !== undefined) return () => {};
    const stop = this.#listener.listen(channel, handler);
    const unlisten = (): void => {
      if (this.#unlisten.delete(unlisten)) stop();
    };
    this.#unlisten.add(unlisten);
    return unlisten;
  }

  async awaitChannel(channel: string): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#awaited.push(channel);
    await this.#listener.awaitChannel(channel);
  }

  forgetChannel(channel: string): void {
    const at = this.#awaited.indexOf(channel);
    if (at === -1) return;
    this.#awaited.splice(at, 1);
    this.#listener.forgetChannel(channel);
  }

  suspect(): void {
    if (this.#closed === undefined) this.#listener.suspect();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    for (const channel of this.#awaited.splice(0)) this.#listener.forgetChannel(channel);
    await this.#giveBack();
  }
}
