/** Server-sent events: every transition of a run, live, from the journal. */
import { setTimeout as delay } from "node:timers/promises";
import type { RunRecord, TimedJournalEntry } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { EventStream } from "../http/event-stream.ts";
import { HttpProblem } from "../http/problems.ts";
import { Id, WorkflowName } from "../http/schemas.ts";
import { shownStep } from "./run-shapes.ts";

/** The journal is looked at this often: fast while something happens, slower while nothing does. */
const FIRST_POLL_MS = 100;
const LAST_POLL_MS = 1_000;
const STEPS_A_READ = 500;

export function addEventRoutes(app: App, { transport }: RouteContext): void {
  app.get(
    "/v1/workflows/:name/runs/:run_id/events",
    {
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
      await follow(stream, runId, after, run).catch((error: unknown) => {
        // Whoever listens comes again, with the id of the last event.
        request.log.warn({ err: error }, `events of run ${runId} broke off`);
      });
      stream.end();
    },
  );

  async function follow(
    stream: EventStream,
    runId: string,
    from: number,
    first: RunRecord,
  ): Promise<void> {
    let position = from;
    let status = "";
    let run: RunRecord | undefined = first;
    for (let pollMs = FIRST_POLL_MS; run !== undefined && !stream.signal.aborted;) {
      // The journal after the run: when that has ended, all that it journaled is there.
      const steps: TimedJournalEntry[] = await transport.getJournal(runId, position, STEPS_A_READ);
      for (const step of steps) {
        stream.send("step", shownStep(step), String(step.position));
        position = step.position;
      }
      const now = run.activity ?? run.status;
      if (now !== status)
        stream.send("status", { runId, status: run.status, activity: run.activity });
      if (steps.length === STEPS_A_READ) continue;
      if (run.status !== "running") {
        stream.send("end", {
          runId,
          status: run.status,
          output: run.output ?? null,
          error: run.error ?? null,
        });
        return;
      }
      pollMs =
        steps.length > 0 || now !== status ? FIRST_POLL_MS : Math.min(LAST_POLL_MS, pollMs * 1.5);
      status = now;
      await delay(pollMs, undefined, { signal: stream.signal }).catch(() => {});
      run = await transport.getRun(runId);
    }
  }
}
