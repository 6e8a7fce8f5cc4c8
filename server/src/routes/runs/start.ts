/** Starting runs: one, many in one statement, or one together with a signal. */
import { isDeepStrictEqual } from "node:util";
import type { RunRecord, StartRequest, Transport } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { MANY_VALUES_BYTES, ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../../http/idempotency.ts";
import { waitMsOf, whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route, startingFor } from "../../http/route.ts";
import { Closed, Independent, Json, nonEmpty, Wait, WorkflowName } from "../../http/schemas.ts";
import { toText } from "../../http/values.ts";
import { endOf } from "../../http/run-end.ts";
import { incomingTrace, startTraced } from "../../telemetry/request-trace.ts";
import { StartBody, Started, StartedOrEnded, toStartRequest } from "./start-request.ts";

const Named = Type.Object({ name: WorkflowName });
const MOST_STARTS = 10_000;

export const startRun: Route = route({
  method: "POST",
  path: "/v1/workflows/:name/runs",
  scope: "produce",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Start a run",
  description:
    "With wait, answers when the run ends, with its output or error; after the wait (at most a minute) with its status. To wait longer, repeat the request with the same idempotency key and input. A request with the same key and another input gets the status only.",
  headers: IdempotencyHeader,
  params: Named,
  querystring: Closed({ wait: Type.Optional(Wait) }),
  body: StartBody,
  response: { 200: StartedOrEnded, 201: StartedOrEnded },
  handler: async (request, context, reply) => {
    const { body, params, query, headers } = request;
    const { transport, maxRetentionDays } = startingFor(context, request);
    const waitMs = waitMsOf(query.wait);
    const start = {
      ...toStartRequest(params.name, body, maxRetentionDays),
      idempotencyKey: idempotencyKeyOf(headers, body.idempotencyKey, "idempotencyKey"),
    };
    const started =
      start.trace === undefined
        ? await startTraced(headers, { "workflow.name": params.name }, (trace) =>
            transport.runs.start({ ...start, trace }),
          )
        : await transport.runs.start(start);
    const ended =
      waitMs === 0
        ? undefined
        : await endOf(transport.runs, started.runId, waitMs, whileClientWaits(reply));
    return reply.code(started.created ? 201 : 200).send({
      ...started,
      ...(ended === undefined ? {} : outcomeOf(ended, started, body.input)),
    });
  },
});

/** The result of a run, for a client that started it, or that sent the same key and input. */
function outcomeOf(
  run: RunRecord,
  { created }: { readonly created: boolean },
  input: unknown,
): { status: RunRecord["status"]; output?: unknown; error?: unknown } {
  const { status } = run;
  const isOwn = created || isDeepStrictEqual(run.input ?? null, input ?? null);
  if (status === "running" || !isOwn) return { status };
  return { status, output: run.output ?? null, error: run.error };
}

export const startRuns: Route = route({
  method: "POST",
  path: "/v1/workflows/:name/runs/batch",
  scope: "produce",
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Start many runs of a workflow",
  description: "Starts all runs in one statement, atomically.",
  params: Named,
  querystring: Independent,
  body: Closed({ runs: Type.Array(StartBody, { minItems: 1, maxItems: MOST_STARTS }) }),
  response: { 200: Type.Object({ runs: Type.Array(Started) }) },
  handler: async (request, context) => {
    const {
      params: { name },
      body,
      headers,
      query: { independent = false },
    } = request;
    const { transport, maxRetentionDays } = startingFor(context, request);
    const starts = body.runs.map((run) => toStartRequest(name, run, maxRetentionDays));
    if (starts.every(({ trace }) => trace !== undefined)) {
      return { runs: await startAll(transport, name, starts, independent) };
    }
    const facts = { "workflow.name": name, "batch.size": starts.length };
    const runs = await startTraced(headers, facts, (trace) =>
      startAll(
        transport,
        name,
        starts.map((start) => ({ ...start, trace: start.trace ?? trace })),
        independent,
      ),
    );
    return { runs };
  },
});

async function startAll(
  transport: Transport,
  workflow: string,
  starts: readonly StartRequest[],
  independent: boolean,
): ReturnType<Transport["runs"]["startBatch"]> {
  const [first, ...others] = starts;
  return independent && first !== undefined && others.length === 0
    ? [await transport.runs.start(first)]
    : transport.runs.startBatch(workflow, starts, undefined, { isPatient: !independent });
}

export const signalWithStart: Route = route({
  method: "POST",
  path: "/v1/workflows/:name/runs/signal-with-start",
  scope: "produce",
  bodyLimit: 2 * ONE_VALUE_BYTES,
  summary: "Start a run and signal it",
  description:
    "Starts the run, unless one with its idempotency key exists, and signals it, in one transaction.",
  params: Named,
  body: Closed({
    run: StartBody,
    event: Type.String({ maxLength: 512 }),
    payload: Type.Optional(Json),
    deduplicationId: Type.Optional(nonEmpty(512)),
  }),
  response: { 200: Type.Object({ ...Started.properties, outcome: Type.String() }) },
  handler: async (request, context) => {
    const {
      params: { name },
      headers,
      body: { run, event, payload, deduplicationId },
    } = request;
    const { transport, maxRetentionDays, events } = startingFor(context, request);
    const start = toStartRequest(name, run, maxRetentionDays);
    const found = await transport.runs.signalWithStart(
      { ...start, trace: start.trace ?? incomingTrace(headers) },
      { event, payload: toText(payload, "the payload"), deduplicationId },
    );
    events.emit("signalSent", { workflow: name, event });
    return found;
  },
});
