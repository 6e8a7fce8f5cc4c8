/** Waits on behalf of a client, until it disconnects. */
import { linkSignals } from "@oxbow/sdk/internal/server";
import type { FastifyReply } from "fastify";
import { HttpProblem } from "./problems.ts";
import { toMs } from "./values.ts";

/** Proxies close connections that are silent for a minute. */
export const LONGEST_WAIT_MS = 60_000;

/** The requested wait, up to a minute. */
export const waitMsOf = (wait: number | string | undefined): number =>
  wait === undefined ? 0 : Math.min(toMs(wait, "wait"), LONGEST_WAIT_MS);

/** Aborts when the client disconnects, or the server stops. The reason is a problem, since waits reject with it. */
export function whileClientWaits(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort(disconnected());
  });
  // Then there is no other event.
  if (!isThere(reply)) gone.abort(disconnected());
  const { signal, unlink } = linkSignals([gone.signal, reply.server.stopping]);
  reply.raw.on("close", unlink);
  return signal;
}

const disconnected = (): HttpProblem =>
  new HttpProblem("REQUEST_INCOMPLETE", "The client has disconnected.");

/** Whether the client is still connected. A response that waits behind another one of its connection doesn't know. */
export const isThere = ({ raw }: FastifyReply): boolean =>
  !raw.destroyed && !raw.req.socket.destroyed;
