/** A network in front of a database that does what networks do: it loses answers, cuts, and falls silent. */
import { once } from "node:events";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { atFileEnd } from "./file-end.ts";

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  /** The database's next answer is lost, and the connection with it. */
  losesAnswer: boolean;
  /** Chunks that are delayed, and the arrival of the last of them. */
  onTheWay: number;
  lastArrival: Promise<unknown>;
}

export class FaultyNetwork {
  /** The same database, through this network. */
  readonly url: string;
  readonly #links = new Set<Link>();
  #answersToLose = 0;
  #request = "";
  #isGone = false;
  /** How long each answer is on its way. */
  answersTakeMs = 0;

  private constructor(url: string, server: Server, target: URL) {
    const address = server.address();
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String(typeof address === "object" ? address?.port : 0);
    this.url = through.href;
    server.on("connection", (near) => this.#link(near, target));
  }

  static async before(url: string): Promise<FaultyNetwork> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const network = new FaultyNetwork(url, server, new URL(url));
    atFileEnd(async () => {
      for (const { near, far } of network.#links) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, "close");
      return [];
    });
    return network;
  }

  /** Answers that are still to be lost. */
  get pendingLosses(): number {
    return this.#answersToLose;
  }

  /** The next requests that contain the text reach the database and are carried out, but their answers are lost. */
  loseAnswers(count: number, request: string): void {
    this.#answersToLose = count;
    this.#request = request;
  }

  /**
   * From now on nothing passes through the existing connections, in neither direction and without an error: as
   * when a machine loses its power, or a firewall forgets. New ones work.
   */
  fallSilent(): number {
    let silenced = 0;
    for (const link of this.#links) {
      if (!link.isSilent) silenced += 1;
      link.isSilent = true;
    }
    return silenced;
  }

  /** Nothing comes through any more, not by new connections either, though they are accepted. */
  vanish(): void {
    this.#isGone = true;
    this.fallSilent();
  }

  /** New connections work again; silent ones stay silent. */
  comeBack(): void {
    this.#isGone = false;
  }

  /** Connections that this side has not ended. */
  get open(): number {
    return [...this.#links].filter(({ near }) => !near.destroyed).length;
  }

  #link(near: Socket, target: URL): void {
    const far = connect(Number(target.port), target.hostname);
    const link: Link = {
      near,
      far,
      isSilent: this.#isGone,
      losesAnswer: false,
      onTheWay: 0,
      lastArrival: Promise.resolve(),
    };
    this.#links.add(link);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on("error", () => void socket.destroy());
    }
    near.on("data", (chunk) => {
      if (link.isSilent) return;
      if (this.#answersToLose > 0 && chunk.includes(this.#request)) {
        this.#answersToLose -= 1;
        link.losesAnswer = true;
      }
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (link.isSilent) return;
      if (link.losesAnswer) this.#cut(link);
      else this.#carry(link, chunk);
    });
    near.on("close", () => {
      // The database doesn't learn of the end of a connection over which it can't be reached.
      if (!link.isSilent) this.#cut(link);
    });
    far.on("close", () => {
      if (!link.isSilent) this.#cut(link);
    });
  }

  /** In the order in which the answers were given, whenever the delay changes. */
  #carry(link: Link, chunk: Buffer): void {
    const delay = this.answersTakeMs === 0 ? undefined : setTimeoutAsync(this.answersTakeMs);
    if (delay === undefined && link.onTheWay === 0) {
      link.near.write(chunk);
      return;
    }
    link.onTheWay += 1;
    link.lastArrival = this.#arrive(link, chunk, Promise.all([link.lastArrival, delay]));
  }

  async #arrive(link: Link, chunk: Buffer, arrival: Promise<unknown>): Promise<void> {
    await arrival;
    link.onTheWay -= 1;
    if (!link.near.destroyed) link.near.write(chunk);
  }

  #cut(link: Link): void {
    this.#links.delete(link);
    link.near.destroy();
    link.far.destroy();
  }
}
