import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the range from which systems take ports for outgoing connections: a client that keeps trying to reach a
// server that is down could otherwise be given the very port, and the server could not come back to it.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const ATTEMPTS = 50;

/**
 * A port of 127.0.0.1 that nothing listens on: the preferred one, or one chosen at random, so that parallel processes
 * seldom collide.
 */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error(
    `No free port between ${LOWEST_PORT} and ${HIGHEST_PORT} in ${ATTEMPTS} attempts.`,
  );
}

export async function isPortFree(port: number): Promise<boolean> {
  const probe = createServer();
  probe.listen({ host: "127.0.0.1", port, exclusive: true });
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}
