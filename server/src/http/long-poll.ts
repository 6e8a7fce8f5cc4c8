/** Waiting for something on behalf of a client, no longer than the client is there. */
import { linkSignals } from "@oxbow/sdk/internal";
import type { FastifyReply } from "fastify";
import { toMs } from "./values.ts";

/** Proxies cut connections that say nothing for a minute. */
export const LONGEST_WAIT_MS = 60_000;

/** How long to wait: what was asked for, to a minute. */
export const waitMsOf = (wait: number | string | undefined): number =>
  wait === undefined ? 0 : Math.min(toMs(wait, "wait"), LONGEST_WAIT_MS);

/** Aborts when the client goes away, or the server stops. */
export function whileClientWaits(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort(new Error("The client went away."));
  });
  const { signal, unlink } = linkSignals([gone.signal, reply.server.stopping]);
  reply.raw.on("close", unlink);
  return signal;
}

/** Whether the client can still be answered. */
export const isThere = (reply: FastifyReply): boolean => !reply.raw.destroyed;
