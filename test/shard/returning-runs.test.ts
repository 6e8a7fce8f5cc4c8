/** Clients that look for a run while it comes back to the shard of its id. */
import { connect } from "@oxbow/fleet/internal";
import { expect, it, onTestFinished } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { acceptIn, move, startIn, take } from "../helpers/outbox.ts";

const { signal } = new AbortController();

const { databases, shards } = await createFleet();
const a = databases.a;
const b = databases.b;
const transport = connect({ shards });
atFileEnd(() => transport.close());

/** Looks for a run that is elsewhere; it comes back before the client asks where it is. */
async function lookWhileItReturns<Value>(
  look: (runId: string) => Promise<Value>,
): Promise<{ runId: string; found: Promise<Value> }> {
  const runId = await startIn(a, "returning");
  await a.query("select queue.hand_over_run($1, 'b')", [runId]);
  await move(a, b, "b");
  await b.query("select queue.hand_over_run($1, 'a')", [runId]);
  const [arrival, relay] = await Promise.all([a.connect(), b.connect()]);
  onTestFinished(async () => arrival.end());
  await arrival.query("begin");
  await arrival.query("lock table queue.elsewhere in access exclusive mode");
  await acceptIn(arrival, await take(relay, "a"));
  await relay.end();
  const found = look(runId);
  found.catch(() => {});
  await eventually(
    () =>
      b.query(
        `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' and query ~ 'run_whereabouts'`,
        [a.name],
      ),
    isNotEmpty,
  );
  await arrival.query("commit");
  await move(b, a, "a");
  return { runId, found };
}

const cancel = (runId: string): Promise<boolean> =>
  transport.runs.cancel(runId, { reason: undefined, rollback: false });

it("find it", async () => {
  const { runId, found } = await lookWhileItReturns((id) => transport.runs.get(id));
  expect(await found).toMatchObject({ runId, status: "running" });
});

it("await its end", async () => {
  const { runId, found } = await lookWhileItReturns((id) => transport.runs.awaitEnd(id, signal));
  await cancel(runId);
  expect(await found).toMatchObject({ runId, status: "cancelled" });
});

it("read its stream until it ends", async () => {
  const { runId, found } = await lookWhileItReturns(async (id) => {
    const values = [];
    for await (const chunks of await transport.runs.readStream(id, "0", signal)) {
      values.push(...chunks.map(({ value }) => value));
    }
    return values;
  });
  await a.query(
    `insert into queue.workflow_stream_chunk (run_id, position, written_at, attempt, number, step_name, chunk, receipt)
     values ($1, 1, now(), 1, 1, '', '"last"', 1)`,
    [runId],
  );
  await cancel(runId);
  expect(await found).toEqual(["last"]);
});
