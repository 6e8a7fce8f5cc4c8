/** Server-sent events, live: every transition of a run, from the journal; starts and ends of the runs of a workflow. */
import { setTimeout as delay } from "node:timers/promises";
import { followRun, type Transport } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { EventStream } from "../http/event-stream.ts";
import { HttpProblem } from "../http/problems.ts";
import { Id, WorkflowName } from "../http/schemas.ts";
import { shownStep } from "./run-shapes.ts";
import { ToldChanges } from "./told-changes.ts";

/** The journal is looked at this often: fast while something happens, slower while nothing does. */
const FIRST_POLL_MS = 100;
const LAST_POLL_MS = 1_000;
const CHANGES_A_READ = 5_000;

export function addEventRoutes(app: App, { transport }: RouteContext): void {
  const statistics = statisticsOf(transport);

  app.get(
    "/v1/workflows/:name/runs/:run_id/events",
    {
      exposeHeadRoute: false,
      config: { scope: "read" },
      schema: {
        summary: "Steps and status of a run, live (text/event-stream)",
        description:
          "Events: step (its id is the position in the journal, to go on after with Last-Event-ID), status (when it changes) and end, after which the stream closes.",
        params: Type.Object({ name: WorkflowName, run_id: Id }),
        headers: Type.Object({
          "last-event-id": Type.Optional(Type.String({ pattern: "^[0-9]{1,9}$" })),
        }),
        response: {
          200: {
            description: "A stream of events.",
            content: { "text/event-stream": { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { name, run_id: runId } = request.params;
      const run = await transport.getRun(runId);
      if (run?.name !== name) {
        throw new HttpProblem(404, "RUN_NOT_FOUND", `Workflow "${name}" has no run ${runId}.`);
      }
      const after = Number(request.headers["last-event-id"] ?? 0);
      const stream = new EventStream(reply);
      await follow(stream, runId, after).catch((error: unknown) => {
        if (stream.signal.aborted) return;
        // Whoever listens comes again, with the id of the last event.
        request.log.warn({ err: error }, `events of run ${runId} broke off`);
      });
      stream.end();
    },
  );

  app.get(
    "/v1/workflows/:name/events",
    {
      exposeHeadRoute: false,
      config: { scope: "read" },
      schema: {
        summary: "Starts and ends of the runs of a workflow, live (text/event-stream)",
        description:
          "Events: run, with the status that the run has since then; by its id whoever sends it as Last-Event-ID goes on exactly there, for up to a day. Where more than 128 changes come within five seconds, the earlier of them may come twice after a reconnect.",
        params: Type.Object({ name: WorkflowName }),
        headers: Type.Object({
          "last-event-id": Type.Optional(
            Type.String({ pattern: "^[0-9a-z]{1,11}-[0-9a-z._]{0,4000}$" }),
          ),
        }),
        response: {
          200: {
            description: "A stream of events.",
            content: { "text/event-stream": { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const last = request.headers["last-event-id"];
      // The database tells the time at which it begins.
      const { now } = await statistics.changes(name, undefined, 1);
      const told = last === undefined ? new ToldChanges(now) : ToldChanges.parse(last);
      const stream = new EventStream(reply);
      await followWorkflow(stream, name, told).catch((error: unknown) => {
        request.log.warn({ err: error }, `events of workflow ${name} broke off`);
      });
      stream.end();
    },
  );

  async function followWorkflow(
    stream: EventStream,
    name: string,
    told: ToldChanges,
  ): Promise<void> {
    for (let pollMs = FIRST_POLL_MS; !stream.signal.aborted;) {
      const { now, changes } = await statistics.changes(name, told.since, CHANGES_A_READ);
      const fresh = changes.filter((change) => !told.has(change));
      for (const change of fresh) {
        const { at, run_id: runId, version, status, error } = change;
        const data = {
          runId: String(runId),
          version,
          status,
          error,
          at: new Date(at / 1_000).toISOString(),
        };
        told.add(change);
        stream.send("run", data, told.id);
      }
      const isWhole = changes.length < CHANGES_A_READ;
      if (isWhole) told.catchUp(now);
      else told.moveTo(changes.at(-1)?.at ?? told.since);
      pollMs = fresh.length > 0 ? FIRST_POLL_MS : Math.min(LAST_POLL_MS, pollMs * 1.5);
      if (isWhole) await delay(pollMs, undefined, { signal: stream.signal }).catch(() => {});
    }
  }

  async function follow(stream: EventStream, runId: string, after: number): Promise<void> {
    for await (const event of followRun(transport, runId, after, stream.signal)) {
      if (event.type === "step") {
        stream.send("step", shownStep(event.step), String(event.step.position));
        continue;
      }
      const { status, activity, output, error } = event.run;
      if (event.type === "status") stream.send("status", { runId, status, activity });
      else stream.send("end", { runId, status, output: output ?? null, error: error ?? null });
    }
  }
}

function statisticsOf({ statistics }: Transport): NonNullable<Transport["statistics"]> {
  if (statistics !== undefined) return statistics;
  throw new Error("A server needs a connection to the database, not to another server.");
}
