/**
 * Calls for a run that comes back from another shard just after they have looked for it here. In these tests, each call
 * then waits until the run is here.
 */
import { expect, it } from "vitest";
import { createFleet } from "../../helpers/fleet.ts";
import { acceptIn, move, take } from "../../helpers/outbox.ts";
import { openSession } from "../../helpers/session.ts";

/** Functions that look where the run has gone. */
const SECOND_LOOKS = ["_send_signal", "_send_cancel", "_raise_if_moved"];

const { a, b } = (await createFleet()).databases;
for (const name of SECOND_LOOKS) {
  const [look] = await a.query<{ parameters: string; names: string; result: string }>(
    `select pg_get_function_arguments(oid) as parameters, pg_get_function_result(oid) as result,
         array_to_string(proargnames, ', ') as names
       from pg_proc where pronamespace = 'queue'::regnamespace and proname = $1`,
    [name],
  );
  if (look === undefined) throw new Error(`There is no function ${name}.`);
  await a.query(`alter function queue.${name} rename to ${name}_at_once`);
  await a.query(
    `create function queue.${name}(${look.parameters}) returns ${look.result} language plpgsql as $function$
       begin
         perform pg_advisory_xact_lock_shared(hashtext('second look'));
         ${look.result === "void" ? "perform" : "return"} queue.${name}_at_once(${look.names});
       end $function$`,
  );
}

async function startHere(): Promise<string> {
  const [started] = await a.query<{ id: string }>(START);
  return started?.id ?? "";
}

/** Its id is that of another shard. */
async function startThere(): Promise<string> {
  const [started] = await b.query<{ id: string }>(START);
  const run = started?.id ?? "";
  await b.query("select queue.hand_over_run($1, 'a')", [run]);
  await move(b, a, "a");
  return run;
}

const START = "select run_id::text as id from queue.workflow_start('returns')";

async function callWhileItReturns(call: string, run: string) {
  await a.query("select queue.hand_over_run($1, 'b')", [run]);
  await move(a, b, "b");
  await b.query("select queue.hand_over_run($1, 'a')", [run]);
  const [acceptor, caller, relay] = await Promise.all([a.connect(), openSession(a), b.connect()]);
  await acceptor.query("select pg_advisory_lock(hashtext('second look'))");
  const called = caller.query(`select queue.${call} as answer`, [run]);
  called.catch(() => {});
  await caller.isBlocked();
  const { outcomes } = await acceptIn(acceptor, await take(relay, "a"));
  expect(outcomes).toEqual(["ok"]);
  await acceptor.query("select pg_advisory_unlock_all()");
  await move(b, a, "a");
  return called;
}

it.each([
  ["a signal", "workflow_signal($1, 'go')", "buffered"],
  ["a cancellation", "workflow_cancel($1)", true],
])("%s reaches the run", async (_, call, answer) => {
  expect(await callWhileItReturns(call, await startHere())).toEqual([{ answer }]);
});

it.each([
  ["workflow_pause", startHere],
  ["workflow_pause", startThere],
  ["workflow_resume", startHere],
  ["workflow_retry", startHere],
  ["workflow_rerun", startHere],
])("%s asks to be repeated", async (name, start) => {
  const run = await start();
  await expect(callWhileItReturns(`${name}($1)`, run)).rejects.toMatchObject({
    code: "40001",
    message: `run ${run} has just come back from another shard`,
  });
});
