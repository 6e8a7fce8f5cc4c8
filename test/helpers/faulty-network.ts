/**
 * A TCP proxy between the system under test and its database. It cuts, silences, delays and throttles connections,
 * loses answers, and changes its target at a failover.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { atFileEnd } from "./file-end.ts";

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  losesAnswer: boolean;
  answerDelayMs: number;
}

export interface Weather {
  /** Delay of each chunk, in both directions. */
  readonly delayMs?: number;
  /** The most that is added to it at random. */
  readonly jitterMs?: number;
  /** Delay of each answer. */
  readonly answerDelayMs?: number;
  readonly bytesPerSecond?: number;
  /** Nothing comes back: requests arrive, answers don't. */
  readonly isHalfOpen?: boolean;
  /** Nothing comes through in either direction; new connections are accepted, and never answered. */
  readonly isParted?: boolean;
}

export class FaultyNetwork {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  /** Connections that the proxy has accepted. */
  readonly #accepted = new Set<Socket>();
  #target: URL;
  #weather: Weather = {};
  #answersToLose = 0;
  #request = "";
  #delayed: { readonly request: string; readonly ms: number } | undefined;
  #replaced: { readonly from: string; readonly to: string } | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (near) => this.#link(near));
  }

  static async before(url: string): Promise<FaultyNetwork> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const network = new FaultyNetwork(server, new URL(url));
    atFileEnd(() => network.close());
    return network;
  }

  /** The database through this network. */
  get url(): string {
    const address = this.#server.address();
    const through = new URL(this.#target);
    through.hostname = "127.0.0.1";
    through.port = String(typeof address === "object" ? address?.port : 0);
    return through.href;
  }

  /** Sends new connections to another database and cuts the existing ones. */
  leadTo(url: string): void {
    this.#target = new URL(url);
    this.cut();
  }

  change(weather: Weather): void {
    this.#weather = weather;
    if (weather.isParted === true) this.fallSilent();
  }

  /** Ends the weather. Connections that fell silent stay silent: neither end learns of it. */
  clear(): void {
    this.#weather = {};
    this.#answersToLose = 0;
  }

  /** Ends all connections, with RST. */
  cut(): void {
    for (const { near, far } of this.#links) {
      near.resetAndDestroy();
      far.destroy();
    }
    this.#links.clear();
  }

  /**
   * The existing connections carry nothing any more, and neither end learns of it, as when a machine loses its power or
   * a firewall forgets. New ones work. Returns how many connections fell silent.
   */
  fallSilent(): number {
    const speaking = [...this.#links].filter(({ isSilent }) => !isSilent);
    for (const link of speaking) link.isSilent = true;
    return speaking.length;
  }

  /** Connections that the system under test has not ended. */
  get open(): number {
    return [...this.#accepted].filter((near) => !near.destroyed).length;
  }

  /** Answers that are still to be lost. */
  get pendingLosses(): number {
    return this.#answersToLose;
  }

  /** The next requests that contain the text are carried out, but their answers are lost, and the connection too. */
  loseAnswers(count: number, request: string): void {
    this.#answersToLose = count;
    this.#request = request;
  }

  /** The answer to the next request that contains the text is delayed, and so is what comes after it on its connection. */
  delayAnswer(request: string, ms: number): void {
    this.#delayed = { request, ms };
  }

  /** Bytes of answers that are replaced by as many others. */
  replaceInAnswers(from: string, to: string): void {
    this.#replaced = { from, to };
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    for (const { near, far } of this.#links) {
      near.destroy();
      far.destroy();
    }
    for (const near of this.#accepted) near.destroy();
    await once(this.#server, "close");
  }

  #link(near: Socket): void {
    this.#accepted.add(near);
    near.on("close", () => void this.#accepted.delete(near));
    if (this.#weather.isParted === true) {
      // Accepted only by the proxy: what can't be reached has no session of it.
      near.on("error", () => void near.destroy());
      near.resume();
      return;
    }
    const far = connect(Number(this.#target.port), this.#target.hostname);
    const link: Link = {
      near,
      far,
      isSilent: false,
      losesAnswer: false,
      answerDelayMs: 0,
    };
    this.#links.add(link);
    const close = (): void => {
      // Neither end of a silent connection learns of the other's.
      if (link.isSilent) return;
      this.#links.delete(link);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on("error", () => void socket.destroy());
      socket.on("close", close);
    }
    near.on("data", (chunk) => {
      if (link.isSilent) return;
      if (this.#answersToLose > 0 && chunk.includes(this.#request)) {
        this.#answersToLose -= 1;
        link.losesAnswer = true;
      }
      if (this.#delayed !== undefined && chunk.includes(this.#delayed.request)) {
        link.answerDelayMs = this.#delayed.ms;
        this.#delayed = undefined;
      }
      this.#carry(link, chunk, far, 0);
    });
    far.on("data", (chunk) => {
      if (link.isSilent || this.#weather.isHalfOpen === true) return;
      if (link.losesAnswer) close();
      else this.#answer(link, this.#told(chunk));
    });
  }

  #answer(link: Link, answer: Buffer): void {
    const { answerDelayMs = 0 } = this.#weather;
    this.#carry(link, answer, link.near, answerDelayMs + link.answerDelayMs);
    link.answerDelayMs = 0;
  }

  #told(answer: Buffer): Buffer {
    if (this.#replaced === undefined) return answer;
    const { from, to } = this.#replaced;
    return Buffer.from(answer.toString("latin1").replaceAll(from, to), "latin1");
  }

  readonly #busyUntil = new WeakMap<Socket, number>();
  /** In their order: timers that are due at one time may fire in another. */
  readonly #underway = new WeakMap<Socket, Buffer[]>();

  #carry(link: Link, chunk: Buffer, to: Socket, moreMs: number): void {
    const { delayMs = 0, jitterMs = 0, bytesPerSecond } = this.#weather;
    const busyUntil = this.#busyUntil.get(to) ?? 0;
    if (delayMs + jitterMs + moreMs === 0 && bytesPerSecond === undefined && busyUntil === 0) {
      to.write(chunk);
      return;
    }
    const now = performance.now();
    const narrowMs = bytesPerSecond === undefined ? 0 : (chunk.length / bytesPerSecond) * 1_000;
    // What was sent first comes first.
    const due = Math.max(busyUntil, now + delayMs + moreMs + Math.random() * jitterMs) + narrowMs;
    this.#busyUntil.set(to, due);
    const underway = this.#underway.get(to) ?? [];
    this.#underway.set(to, underway);
    underway.push(chunk);
    setTimeout(() => {
      const next = underway.shift();
      if (next !== undefined && !link.isSilent && !to.destroyed) to.write(next);
      if (this.#busyUntil.get(to) === due) this.#busyUntil.delete(to);
    }, due - now);
  }
}
