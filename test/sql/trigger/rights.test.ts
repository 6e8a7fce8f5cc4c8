import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { openSession } from "../../helpers/session.ts";
import { listening, receive, send } from "../../helpers/triggers.ts";

const database = await createDatabase();

const ROLES = [
  "oxbow_producer",
  "oxbow_worker",
  "oxbow_reader",
  "oxbow_author",
  "oxbow_publisher",
  "oxbow_admin",
] as const;

const READERS: readonly string[] = ROLES.filter((role) => role !== "oxbow_producer");

/** Calls, and the roles that may make them. */
const CALLS: readonly { readonly call: string; readonly roles: readonly string[] }[] = [
  { call: "queue.trigger_declare('rights')", roles: ["oxbow_worker", "oxbow_admin"] },
  { call: "queue.trigger_receive('rights')", roles: ["oxbow_worker", "oxbow_admin"] },
  { call: "queue.trigger_commit('rights', '[]', '[]')", roles: ["oxbow_worker", "oxbow_admin"] },
  { call: "queue.trigger_types()", roles: READERS },
  { call: "queue.trigger_events()", roles: READERS },
  { call: "queue.once_get('none', '[]')", roles: READERS },
  { call: "queue.once_forget('none', '[]')", roles: ["oxbow_publisher", "oxbow_admin"] },
  { call: "queue.trigger_sweep()", roles: ["oxbow_admin"] },
  { call: "queue.trigger_hooks('none')", roles: ["oxbow_publisher", "oxbow_admin"] },
  { call: "queue.trigger_hook_receive('none', '1')", roles: ["oxbow_admin"] },
  { call: "queue.reference_set('policy', '1', '[]')", roles: ["oxbow_producer", "oxbow_admin"] },
];

describe.each(ROLES)("%s", (role) => {
  it("calls the functions of triggers that are for it, and no others", async () => {
    await database.query("select queue.trigger_declare('rights')");
    const session = await openSession(database);
    await session.query(`set role ${role}`);
    const allowed: string[] = [];
    const refused = new Set<string>();
    for (const { call } of CALLS) {
      const codes = await session.query(`select ${call}`).then(
        () => [],
        (error: unknown) => [(error as { readonly code: string }).code],
      );
      if (codes.length === 0) allowed.push(call);
      else refused.add(codes[0] ?? "");
    }
    expect([...refused]).toEqual(role === "oxbow_admin" ? [] : ["42501"]);
    expect(allowed).toEqual(
      CALLS.filter(({ roles }) => roles.includes(role)).map(({ call }) => call),
    );
  });

  it.runIf(READERS.includes(role))("explains an event", async () => {
    const { name, topic, pool } = await listening(database);
    await send(database, topic, {});
    const [event] = (await receive(database, pool)).events;
    const report = [{ receipt: event?.receipt, state: "evaluated" }];
    await database.query("select queue.trigger_commit($1, $2, '[]')", [
      pool,
      JSON.stringify(report),
    ]);
    const session = await openSession(database);
    await session.query(`set role ${role}`);
    const explained = await session.query("select topic from queue.trigger_explain($1, $2)", [
      name,
      event?.eventId,
    ]);
    expect(explained).toEqual([{ topic }]);
  });
});
