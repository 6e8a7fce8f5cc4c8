/**
 * A TCP proxy between the system under test and its database. It cuts, silences, delays and throttles connections,
 * loses answers, and changes its target at a failover.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  losesAnswer: boolean;
}

export interface Weather {
  /** Each chunk comes that much later. */
  readonly delayMs?: number;
  /** And up to that much more. */
  readonly jitterMs?: number;
  readonly bytesPerSecond?: number;
  /** Nothing comes back: requests arrive, answers don't. */
  readonly isHalfOpen?: boolean;
  /** Nothing comes through in either direction; new connections are accepted, and never answered. */
  readonly isParted?: boolean;
}

export class Network {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #target: URL;
  #weather: Weather = {};
  #answersToLose = 0;
  #request = "";

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (near) => this.#link(near));
  }

  static async before(url: string): Promise<Network> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Network(server, new URL(url));
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

  /** The connections that are there carry nothing any more, and neither end learns it. New ones work. */
  fallSilent(): void {
    for (const link of this.#links) link.isSilent = true;
  }

  /** The next requests that contain the text are carried out, but their answers are lost, and the connection too. */
  loseAnswers(count: number, request: string): void {
    this.#answersToLose = count;
    this.#request = request;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const { near, far } of this.#links) {
      near.destroy();
      far.destroy();
    }
    await once(this.#server, "close");
  }

  #link(near: Socket): void {
    if (this.#weather.isParted === true) {
      // Accepted by the proxy alone: what can't be reached has no session of it.
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
      this.#carry(link, chunk, far);
    });
    far.on("data", (chunk) => {
      if (link.isSilent || this.#weather.isHalfOpen === true) return;
      if (link.losesAnswer) close();
      else this.#carry(link, chunk, near);
    });
  }

  readonly #busyUntil = new WeakMap<Socket, number>();

  #carry(link: Link, chunk: Buffer, to: Socket): void {
    const { delayMs = 0, jitterMs = 0, bytesPerSecond } = this.#weather;
    const busyUntil = this.#busyUntil.get(to) ?? 0;
    if (delayMs + jitterMs === 0 && bytesPerSecond === undefined && busyUntil === 0) {
      to.write(chunk);
      return;
    }
    const now = performance.now();
    const narrowMs = bytesPerSecond === undefined ? 0 : (chunk.length / bytesPerSecond) * 1_000;
    // Bytes arrive in the order in which they were sent.
    const due = Math.max(busyUntil, now + delayMs + Math.random() * jitterMs) + narrowMs;
    this.#busyUntil.set(to, due);
    setTimeout(() => {
      if (!link.isSilent && !to.destroyed) to.write(chunk);
      if (this.#busyUntil.get(to) === due) this.#busyUntil.delete(to);
    }, due - now);
  }
}
