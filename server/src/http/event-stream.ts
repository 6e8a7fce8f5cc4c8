/**
 * Server-sent events: the wire format, a heartbeat against timeouts of proxies, and an end with the session.
 *
 * Senders await each event, so that no more than one is unsent beyond the buffers of the connection.
 */
import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import { linkSignals } from "@oxbow/sdk/internal/server";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { defined } from "../defined.ts";
import { logBrokenStream } from "../telemetry/log.ts";
import { whileClientWaits } from "./long-poll.ts";

/** For the schema of a route. */
export const EVENTS = {
  200: {
    description: "A stream of events.",
    content: { "text/event-stream": { schema: Type.String() } },
  },
} as const;

/** Proxies close connections that are silent for a minute. */
const KEEP_ALIVE_MS = 15_000;

export class EventStream {
  /** Aborts when the client disconnects, its session expires, or the server stops. */
  readonly signal: AbortSignal;
  readonly #reply: FastifyReply;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
    this.signal = whileSessionLasts(reply);
    reply.hijack();
    reply.raw.writeHead(200, {
      ...(defined(reply.getHeaders()) as OutgoingHttpHeaders),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      connection: "keep-alive",
      "x-accel-buffering": "no",
    });
    reply.raw.write("retry: 1000\n\n");
    this.#keepAlive = setInterval(() => void reply.raw.write(": still here\n\n"), KEEP_ALIVE_MS);
  }

  /** Resolves when the client has room for the next event, or the stream has to end. */
  async send(event: string, data: unknown, id?: string): Promise<void> {
    if (this.signal.aborted) return;
    const lines = [...(id === undefined ? [] : [`id: ${id}`]), `event: ${event}`];
    const text = `${lines.join("\n")}\ndata: ${JSON.stringify(data)}\n\n`;
    if (this.#reply.raw.write(text)) return;
    // It rejects when the stream has to end.
    await once(this.#reply.raw, "drain", { signal: this.signal }).catch(() => {});
  }

  /** Sends an event that may be lost: not to a client that has yet to read others. */
  hint(event: string, data: unknown): void {
    if (!this.#reply.raw.writableNeedDrain) void this.send(event, data);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#reply.raw.end();
  }
}

/**
 * Answers by a stream of events, until `send` has ended. A failure is only logged: the client reconnects with the id of
 * its last event.
 *
 * @param subject Whose events they are, for the log.
 */
export async function sendEvents(
  reply: FastifyReply,
  subject: string,
  send: (stream: EventStream) => Promise<void>,
): Promise<void> {
  const stream = new EventStream(reply);
  try {
    await send(stream);
  } catch (error) {
    if (!stream.signal.aborted) logBrokenStream(reply.log, subject, error);
  }
  stream.end();
}

/** The caller was identified once, and may have lost its roles since: it reconnects with the session that it has then. */
function whileSessionLasts(reply: FastifyReply): AbortSignal {
  const waits = whileClientWaits(reply);
  const expiresAt = reply.request.identity?.expiresAt ?? null;
  if (expiresAt === null) return waits;
  const { signal, unlink } = linkSignals([waits], {
    ms: Math.max(0, expiresAt.getTime() - Date.now()),
    reason: new Error("The session has expired."),
    keepsAlive: false,
  });
  reply.raw.on("close", unlink);
  return signal;
}
