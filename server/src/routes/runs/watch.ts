/** One stream of events for any run, for a page that shows it: status, steps, state and chunks. */
import {
  followRun,
  isShown,
  linkSignals,
  type RunRecord,
  toShownRun,
  toShownStep,
  type Transport,
  Watch,
  withoutStack,
} from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { EVENTS, EventStream } from "../../http/event-stream.ts";
import { route, type Route } from "../../http/route.ts";
import { requirePermission } from "../../http/run-access.ts";
import { Id } from "../../http/schemas.ts";
import { logBrokenStream } from "../../telemetry/log.ts";
import { findWorkflow } from "./one-run.ts";

/** A safety net: marks wake a follower. */
const PACE = { firstMs: 30_000, growth: 1, longestMs: 30_000 };

/** The last event that a reader has. */
interface Place {
  generation: number | undefined;
  position: number;
  chunk: string;
}

type Send = (event: string, data: unknown) => Promise<void>;

export const watchRun: Route = route({
  method: "GET",
  path: "/v1/runs/:run_id/events",
  scope: "read",
  runAccess: "read",
  isStream: true,
  summary: "Watch a run",
  description:
    "Server-sent events for a page that shows a run: step (a finished step, without its output), state (all published values, after a change), run (its status, activity and calls under way, after the steps and the values that precede it, and after each change), with chunks=true also chunk and reset as in its stream, and end, with the output or the error, after which the stream closes. Continue with the id of the last event as Last-Event-ID. Values are as stored, so encoded by the codec of clients that have one. A run token needs stream for chunks; the events end when it expires.",
  params: Type.Object({ run_id: Id }),
  querystring: Type.Object({ chunks: Type.Boolean({ default: false }) }),
  headers: Type.Object({
    "last-event-id": Type.Optional(Type.String({ pattern: "^[0-9]{1,9}-[0-9]{1,9}-[0-9]{1,18}$" })),
  }),
  response: EVENTS,
  handler: async (request, { transport, runMarks }, reply) => {
    const { params, headers, query, identity, log } = request;
    const { run_id: runId } = params;
    if (query.chunks && identity?.run !== undefined) requirePermission(identity.run, "stream");
    await findWorkflow(transport, params);
    const place = placeOf(headers["last-event-id"]);
    const stream = new EventStream(reply);
    const failing = new AbortController();
    const { signal, unlink } = linkSignals([stream.signal, failing.signal]);
    const send: Send = (event, data) => stream.send(event, data, textOf(place));
    const watch = new Watch({ pace: PACE, signal });
    const unfollow = runMarks.follow(runId, watch.wake);
    const fail = (error: unknown): never => {
      failing.abort(error);
      throw error;
    };
    try {
      const [run] = await Promise.all([
        sendSteps(transport, { runId, place, send, watch, signal }).catch(fail),
        query.chunks
          ? sendChunks(transport, { runId, place, send, signal }).catch(fail)
          : undefined,
      ]);
      if (run !== undefined) await send("end", endOf(run));
    } catch (error) {
      // The page reconnects with the id of its last event.
      if (!stream.signal.aborted) logBrokenStream(log, `run ${runId}`, error);
    } finally {
      unfollow();
      unlink();
    }
    stream.end();
  },
});

interface Sending {
  readonly runId: string;
  readonly place: Place;
  readonly send: Send;
  readonly signal: AbortSignal;
}

/** Returns the run once it has ended. */
async function sendSteps(
  { runs }: Pick<Transport, "runs">,
  { runId, place, send, signal, watch }: Sending & { readonly watch: Watch },
): Promise<RunRecord | undefined> {
  let told = "{}";
  let hasNews = true;
  const sendState = async (): Promise<void> => {
    if (!hasNews) return;
    hasNews = false;
    const state = (await runs.getState(runId)) ?? {};
    const text = JSON.stringify(state);
    if (text === told) return;
    told = text;
    await send("state", state);
  };
  const options = {
    watch,
    noteOf: (run: RunRecord) => JSON.stringify(toShownRun(run)),
    onRest: sendState,
  };
  const events = followRun({ runs }, runId, place.position, signal, place.generation, options);
  for await (const event of events) {
    hasNews = true;
    if (event.type === "step") {
      place.generation = event.generation;
      place.position = event.step.position;
      if (isShown(event.step)) await send("step", toShownStep(event.step));
      continue;
    }
    if (event.type === "end") return event.run;
    // A page that has the first status has all that precedes it.
    await sendState();
    // No event before that of the run has its generation: a page that returns gets it.
    if (place.generation !== event.run.generation) {
      place.generation = event.run.generation;
      place.position = 0;
    }
    await send("run", toShownRun(event.run));
  }
  return undefined;
}

async function sendChunks(
  { runs }: Pick<Transport, "runs">,
  { runId, place, send, signal }: Sending,
): Promise<void> {
  for await (const chunks of await runs.readStream(runId, place.chunk, signal)) {
    for (const chunk of chunks) {
      place.chunk = chunk.position;
      await send(chunk.reset === true ? "reset" : "chunk", chunk);
    }
  }
}

const endOf = (run: RunRecord) => ({
  ...toShownRun(run),
  output: run.output ?? null,
  error: run.error === null ? null : withoutStack(run.error),
});

const textOf = ({ generation = 0, position, chunk }: Place): string =>
  `${generation}-${position}-${chunk}`;

/** An id without a generation comes before the first event of the run itself. */
function placeOf(id: string | undefined): Place {
  const [generation = "0", position = "0", chunk = "0"] = id?.split("-") ?? [];
  return {
    generation: generation === "0" ? undefined : Number(generation),
    position: Number(position),
    chunk,
  };
}
