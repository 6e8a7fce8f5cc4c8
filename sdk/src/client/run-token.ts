/** Signs a run token: here with a key, otherwise with that of the server or of the environment. Loaded when it is used. */
import { type Duration, parseDuration } from "../core/duration.ts";
import { checkOptions } from "../core/options.ts";
import {
  checkRunTokenRequest,
  RunTokenKeys,
  type RunPermission,
  type RunTokenRequest,
} from "../protocol/run-token.ts";
import type { ClientTransport } from "../protocol/transport.ts";

interface RunTokenOptions {
  readonly ttl?: Duration | undefined;
  readonly allow?: readonly RunPermission[] | undefined;
  readonly name?: string | undefined;
  readonly key?: string | undefined;
}

export async function signRunToken(
  { runs }: ClientTransport,
  runId: string,
  options: RunTokenOptions,
): Promise<string> {
  const names = { ttl: true, allow: true, name: true, key: true } as const;
  checkOptions<RunTokenOptions>(options, names, "token()");
  const { ttl = "15m", allow = ["read", "stream"], name, key } = options;
  const ttlMs = parseDuration(ttl, "the ttl of a run token");
  const request: RunTokenRequest = { runId, ttlMs, allow, name };
  checkRunTokenRequest(request);
  return key === undefined ? runs.issueToken(request) : new RunTokenKeys([key]).sign(request);
}
