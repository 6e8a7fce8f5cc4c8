/** Opens WebSockets. The library is loaded with the first one: most programs don't need it, and it takes 30 ms. */
import type { WebSocket } from "ws";
import { onAbort } from "../../async/on-abort.ts";

const OPEN_WITHIN_MS = 10_000;

interface SocketOptions {
  readonly protocol: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the opening, and what has been opened. */
  readonly closing: AbortSignal;
}

/** @param url `http://…` or `https://…`. @returns undefined if no server opens one, whatever the reason. */
export async function openWebSocket(
  url: string,
  { protocol, headers, closing }: SocketOptions,
): Promise<WebSocket | undefined> {
  const library = await import("ws").catch(() => null);
  // As in a bundle that leaves out what is loaded later.
  if (library === null) return undefined;
  const socket = new library.WebSocket(url, [protocol], {
    headers: { ...headers },
    handshakeTimeout: OPEN_WITHIN_MS,
    // Both ends are near, as a rule, and CPU is what they have least of.
    perMessageDeflate: false,
    // The server limits what it sends.
    maxPayload: 0,
  });
  const unlink = onAbort(closing, () => socket.terminate());
  socket.once("close", unlink);
  return new Promise((resolve) => {
    socket.once("open", () => resolve(socket));
    // Also of a socket that was open: "close" follows.
    socket.on("error", () => resolve(undefined));
  });
}
