/** Following a workflow by server-sent events: starts and ends of its runs. */
import { type Pace, type Transport, Watch } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { EVENTS, type EventStream, sendEvents } from "../../http/event-stream.ts";
import { route, type Route } from "../../http/route.ts";
import { WorkflowName } from "../../http/schemas.ts";
import { SentChanges } from "./sent-changes.ts";

/** Fast while runs change, slower otherwise. */
const PACE: Pace = { firstMs: 100, growth: 1.5, longestMs: 1_000 };
const CHANGES_A_READ = 5_000;

export const followWorkflow: Route = route({
  method: "GET",
  path: "/v1/workflows/:name/events",
  scope: "read",
  isStream: true,
  summary: "Follow the runs of a workflow",
  description:
    "Server-sent events: run, when a run starts or ends, with its status from then on. A client that reconnects with Last-Event-ID within a day continues exactly after that event. After more than 128 changes in five seconds, the earlier of them may be repeated.",
  params: Type.Object({ name: WorkflowName }),
  headers: Type.Object({
    "last-event-id": Type.Optional(Type.String({ pattern: "^[0-9a-z]{1,11}-[0-9a-z._]{0,4000}$" })),
  }),
  response: EVENTS,
  handler: async ({ params: { name }, headers }, { transport }, reply) => {
    const statistics = statisticsOf(transport);
    const last = headers["last-event-id"];
    // Times are those of the database's clock.
    const { now } = await statistics.changes(name, undefined, 1);
    const sent = last === undefined ? new SentChanges(now) : SentChanges.parse(last);
    await sendEvents(reply, `workflow ${name}`, (stream) =>
      sendChanges(statistics, stream, name, sent),
    );
  },
});

type Statistics = NonNullable<Transport["statistics"]>;

async function sendChanges(
  statistics: Statistics,
  stream: EventStream,
  name: string,
  sent: SentChanges,
): Promise<void> {
  const watch = new Watch({ pace: PACE, signal: stream.signal });
  while (!stream.signal.aborted) {
    // Any number of changes may have been sent and be read again, such as the starts of a batch.
    const most = sent.count + CHANGES_A_READ;
    const { now, changes } = await statistics.changes(name, sent.since, most);
    const fresh = changes.filter((change) => !sent.has(change));
    for (const change of fresh) {
      const { at, run_id: runId, version, status, error } = change;
      const data = {
        runId: String(runId),
        version,
        status,
        error,
        at: new Date(at / 1_000).toISOString(),
      };
      sent.add(change);
      await stream.send("run", data, sent.id);
    }
    const isWhole = changes.length < most;
    // Others may have the time of the last one.
    sent.catchUp(now, isWhole ? undefined : changes.at(-1)?.at);
    if (fresh.length > 0) watch.restart();
    if (isWhole) await watch.rest();
  }
}

function statisticsOf({ statistics }: Transport): Statistics {
  if (statistics !== undefined) return statistics;
  throw new Error("A server requires a connection to the database, not to another server.");
}
