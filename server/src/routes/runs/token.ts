/** Tokens with which browsers follow one run. */
import {
  LONGEST_RUN_TOKEN_MS,
  type RunPermission,
  type RunTokenKeys,
} from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { forbidden, HttpProblem } from "../../http/problems.ts";
import { type Route, route } from "../../http/route.ts";
import { Closed, Id, Length, nonEmpty } from "../../http/schemas.ts";
import { toMs } from "../../http/values.ts";

const DEFAULT_TTL_S = 900;

export const issueRunToken: Route = route({
  method: "POST",
  path: "/v1/runs/:run_id/token",
  scope: "read",
  summary: "Issue a run token",
  description:
    "Returns a token that opens this run for what it lists, until it expires: read (the run without its input, state, progress and events), stream, and signal: with the name of an event, which also requires the scope produce. Whether the run exists is not checked. The server needs OXBOW_RUN_TOKEN_KEYS.",
  params: Type.Object({ run_id: Id }),
  body: Closed({
    ttl: Type.Union(Length.anyOf, {
      default: DEFAULT_TTL_S,
      description: `Seconds, or a string with a unit: "15m". At most ${LONGEST_RUN_TOKEN_MS / 3_600_000} hours.`,
    }),
    allow: Type.Array(Type.String({ pattern: "^(read|stream|signal:.+)$", maxLength: 300 }), {
      minItems: 1,
      maxItems: 20,
      default: ["read", "stream"],
    }),
    name: Type.Optional(
      nonEmpty(100, "Names the holder in the audit, as run-token/name. Default: the caller."),
    ),
  }),
  response: { 201: Type.Object({ token: Type.String() }) },
  handler: async (request, { runTokens }, reply) => {
    const { params, body, identity } = request;
    const { ttl, name } = body;
    const allow = body.allow as readonly RunPermission[];
    if (allow.some((one) => one.startsWith("signal:")) && !request.may("produce")) {
      throw forbidden('A run token that allows signals requires the scope "produce".');
    }
    const keys = requireKeys(runTokens);
    const token = await keys.sign({
      runId: params.run_id,
      ttlMs: toMs(ttl, "ttl"),
      allow,
      name: name ?? identity?.actor?.slice(0, 100).trim(),
    });
    return reply.code(201).send({ token });
  },
});

function requireKeys(keys: RunTokenKeys): RunTokenKeys {
  if (keys.areThere) return keys;
  throw new HttpProblem(
    "NO_RUN_TOKEN_KEY",
    "The server has no key for run tokens: set OXBOW_RUN_TOKEN_KEYS, for instance to the output of `openssl rand -hex 32`.",
  );
}
