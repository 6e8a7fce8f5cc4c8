/**
 * Receiving and committing over a WebSocket, for workers of Oxbow's SDK: the same as receive.ts and commit.ts, but passed on
 * without reading (see `protocol/relay.ts` of the SDK).
 *
 * Promises:
 *   L1  Calls are answered in any order, each with an answer or a problem. One that can't be read ends the WebSocket.
 *   L2  Runs that were received for a worker that is no longer there are given back immediately.
 *   L3  A server that stops answers the calls that it has read, reads no more, and closes the WebSocket.
 *   L4  Reading pauses while many calls are under way, or the worker has yet to read many answers. Commits that wait for
 *       another transaction, each of another run, hold back no others until there are very many.
 *   L5  Receives, whose answers are large, are made one after another, and only while few answers are unread.
 */
import {
  RELAY_PATH,
  RELAY_PROTOCOL,
  type RelayedAnswer,
  type RelayedCall,
  type WorkerRelay,
} from "@oxbow/sdk/internal/server";
import type { FastifyBaseLogger } from "fastify";
import { type Static, type TSchema, Type } from "typebox";
import { type WebSocket, WebSocketServer } from "ws";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { compileValidator } from "../../http/compiled-schemas.ts";
import { describe, HttpProblem, toProblem } from "../../http/problems.ts";
import { route, type Route, type RouteContext } from "../../http/route.ts";
import { Closed, Id, Nullable } from "../../http/schemas.ts";
import { upgradableOf } from "../../http/upgrades.ts";
import { logProblem } from "../../telemetry/log.ts";
import { ReceiveBody, toReceiveRequest } from "./receive.ts";

/** L4. A worker has a few under way. */
const MOST_CALLS = 32;
/** L4. Including commits that wait for another transaction. */
const MOST_WAITING = 1_000;
/** L4. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** More than a commit has: the database transport knows how many it is. */
const MOST_VALUES = 100;
/** Proxies close connections that are silent for a minute. */
const PING_MS = 15_000;
const CLOSE_WITHIN_MS = 2_000;
/** Codes of RFC 6455. */
const GOING_AWAY = 1001;
const UNREADABLE = 1007;

const CommitBody = Closed({
  values: Type.Array(Nullable(Type.String()), { maxItems: MOST_VALUES }),
  runId: Type.Optional(Id),
});

const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MANY_VALUES_BYTES,
  perMessageDeflate: false,
});

export const relayCalls: Route = route({
  method: "GET",
  path: RELAY_PATH,
  scope: "work",
  isStream: true,
  hide: true,
  handler: ({ raw, headers, log }, context, reply) => {
    const found = upgradableOf(raw);
    const { relay } = context.transport.worker;
    const protocols = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
    // A caller without a token has a session that ends.
    const isLasting = reply.request.identity?.expiresAt === null;
    if (!found || !relay || !isLasting || protocols?.includes(RELAY_PROTOCOL) !== true) {
      throw new HttpProblem(
        "UPGRADE_REQUIRED",
        `This path is for WebSockets of the protocol ${RELAY_PROTOCOL}, of workers with a token. Use the other endpoints under /v1/worker.`,
        { upgrade: "websocket" },
      );
    }
    void reply.hijack();
    sockets.handleUpgrade(raw, found.socket, found.head, (socket) => {
      const session = new Session(socket, relay, context.events, log);
      found.socket.on("drain", () => session.regulate());
      session.endWith(reply.server.stopping);
    });
  },
});

/** How a call is checked and made. */
interface Callable<Schema extends TSchema> {
  /** Path of the request that does the same. */
  readonly path: string;
  readonly validate: ReturnType<typeof compileValidator>;
  make(
    relay: WorkerRelay,
    body: Static<Schema>,
    session: { readonly socket: WebSocket; readonly onWait: () => void },
  ): Promise<NonNullable<RelayedAnswer["answer"]>>;
}

const callable = <Schema extends TSchema>(
  path: string,
  schema: Schema,
  make: Callable<Schema>["make"],
): Callable<Schema> => ({ path, make, validate: compileValidator({ schema, httpPart: "body" }) });

const CALLS: Readonly<Record<RelayedCall["call"], Callable<TSchema>>> = {
  commit: callable("/v1/worker/commit", CommitBody, (relay, body, { onWait }) =>
    relay.commit(body, onWait),
  ),
  receive: callable("/v1/worker/receive", ReceiveBody, async (relay, body, { socket }) => {
    const received = await relay.receive(toReceiveRequest(body));
    if (socket.readyState !== socket.OPEN) await relay.giveBack(received);
    return received;
  }),
};

/** One WebSocket. */
class Session {
  readonly #socket: WebSocket;
  readonly #relay: WorkerRelay;
  readonly #events: RouteContext["events"];
  readonly #log: FastifyBaseLogger;
  #underWay = 0;
  /** Commits under way that wait for another transaction. */
  readonly #waiting = new Set<RelayedCall>();
  #isEnding = false;
  /** L5. Resolves after the last receive so far. */
  #receives: Promise<void> = Promise.resolve();
  #onRoom: (() => void) | undefined;

  constructor(
    socket: WebSocket,
    relay: WorkerRelay,
    events: RouteContext["events"],
    log: FastifyBaseLogger,
  ) {
    this.#socket = socket;
    this.#relay = relay;
    this.#events = events;
    this.#log = log;
    const pings = setInterval(() => socket.ping(), PING_MS);
    // "close" follows.
    socket.on("error", (error) => log.debug({ err: error }, "the WebSocket of a worker broke off"));
    socket.once("close", () => {
      clearInterval(pings);
      this.#onRoom?.();
    });
    socket.on("message", (data: Buffer) => this.#take(data));
    // Its answer waits to be read as others do.
    socket.on("ping", () => this.regulate());
  }

  /** L4. Called when what is under way or unread may have changed. */
  regulate(): void {
    if (!this.#isFull) this.#onRoom?.();
    if (this.#isEnding || this.#socket.readyState !== this.#socket.OPEN) return;
    const active = this.#underWay - this.#waiting.size;
    const pauses = this.#isFull || active >= MOST_CALLS || this.#underWay >= MOST_WAITING;
    if (pauses === this.#socket.isPaused) return;
    if (pauses) this.#socket.pause();
    else this.#socket.resume();
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount > MOST_UNREAD_BYTES;
  }

  /** L3. */
  endWith(stopping: AbortSignal): void {
    const end = (): void => {
      this.#isEnding = true;
      this.#socket.pause();
      this.#endIfDone();
    };
    if (stopping.aborted) end();
    else stopping.addEventListener("abort", end, { once: true });
    this.#socket.once("close", () => stopping.removeEventListener("abort", end));
  }

  #endIfDone(): void {
    if (!this.#isEnding || this.#underWay > 0) return;
    this.#close(GOING_AWAY, "The server is stopping.");
  }

  #close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    // Its answer has to be read.
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_WITHIN_MS);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #take(data: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    let call: RelayedCall;
    try {
      call = readCall(data);
    } catch {
      this.#close(UNREADABLE, "This is no call.");
      return;
    }
    this.#underWay += 1;
    this.regulate();
    if (call.call === "receive") {
      this.#receives = this.#receives.then(() => this.#receive(call));
    } else void this.#make(call);
  }

  /** L5. */
  async #receive(call: RelayedCall): Promise<void> {
    if (this.#isFull) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
      this.#onRoom = undefined;
    }
    await this.#make(call);
  }

  /** Never rejects. */
  async #make(call: RelayedCall): Promise<void> {
    // The socket may have closed meanwhile.
    if (this.#socket.readyState === this.#socket.OPEN) {
      const answer = await this.#answer(call);
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(answer));
    }
    this.#underWay -= 1;
    this.#waiting.delete(call);
    this.regulate();
    this.#endIfDone();
  }

  /** Never rejects. */
  async #answer(relayed: RelayedCall): Promise<RelayedAnswer> {
    const { id, call, body } = relayed;
    const called = CALLS[call];
    const onWait = (): void => {
      this.#waiting.add(relayed);
      this.regulate();
    };
    const begun = performance.now();
    let status = 200;
    let answer: RelayedAnswer;
    try {
      const verdict = called.validate(body);
      if (verdict !== true) throw invalid(verdict.error);
      answer = {
        id,
        answer: await called.make(this.#relay, body, { socket: this.#socket, onWait }),
      };
    } catch (error) {
      const problem = toProblem(describe(error), RELAY_PATH);
      logProblem(this.#log, problem, error);
      ({ status } = problem);
      answer = { id, problem };
    }
    const durationMs = performance.now() - begun;
    this.#events.emit("requestAnswered", {
      method: "WS",
      route: called.path,
      status,
      durationMs,
    });
    return answer;
  }
}

/** @throws Error if it is not one. */
function readCall(data: Buffer): RelayedCall {
  const call = JSON.parse(data.toString()) as RelayedCall | null;
  if (Number.isSafeInteger(call?.id) && call && Object.hasOwn(CALLS, call.call)) return call;
  throw new Error("This is no call.");
}

/** As Fastify rejects a body. */
const invalid = (validation: readonly object[]): Error =>
  Object.assign(new Error("The body is invalid."), { statusCode: 400, validation });
