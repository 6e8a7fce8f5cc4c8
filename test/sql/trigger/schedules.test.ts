import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  publishDefinition,
  saveDraft,
  type TestDocument,
} from "../../helpers/definitions.ts";
import { eventually } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { receiveTick, tick, type TickMessage } from "../../helpers/schedules.ts";
import { commit, listening, matchesOf, receive, runsOf, start } from "../../helpers/triggers.ts";

const CRON = { on: "schedule", cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" };

const schedulesOf = (database: TestDatabase, name: string) =>
  database.query(
    "select name, cron, every_seconds, time_zone, paused_at is not null as is_paused from queue.schedule_list() where workflow = $1",
    [name],
  );

/** Publishes the definition with another trigger, or without one. */
async function republish(database: TestDatabase, name: string, trigger?: object): Promise<void> {
  const { draft, revision } = only(
    await database.query("select draft, revision from queue.definition_get($1)", [name]),
  ) as unknown as { draft: TestDocument; revision: number };
  const document = {
    ...draft,
    title: `${draft.title ?? ""}+`,
    triggers: trigger === undefined ? {} : { changed: trigger },
  };
  await publishDefinition(database, name, await saveDraft(database, document, revision));
}

const due = async (database: TestDatabase): Promise<TickMessage> => {
  const message = await eventually(
    () => receiveTick(database),
    (received) => received !== undefined,
  );
  if (message === undefined) throw new Error("No schedule is due.");
  return message;
};

describe("the schedule of a trigger", () => {
  it("follows the published version, and ends with it", async () => {
    const database = await createDatabase();
    const { name } = await listening(database, { trigger: CRON });
    const own = `definition:${name}:changed`;
    const given = { name: own, cron: CRON.cron, every_seconds: null, time_zone: CRON.time_zone };
    expect(await schedulesOf(database, name)).toEqual([{ ...given, is_paused: false }]);
    await database.query("select queue.schedule_pause($1)", [own]);
    await republish(database, name, CRON);
    expect(await schedulesOf(database, name)).toEqual([{ ...given, is_paused: true }]);
    await republish(database, name, { on: "schedule", every: "1h" });
    expect(await schedulesOf(database, name)).toMatchObject([{ cron: null, every_seconds: 3600 }]);
    await republish(database, name);
    expect(await schedulesOf(database, name)).toEqual([]);
    await republish(database, name, CRON);
    await database.query("select queue.definition_archive($1)", [name]);
    expect(await schedulesOf(database, name)).toEqual([]);
    expect(await receiveTick(database)).toBeUndefined();
    await database.query("select queue.definition_delete($1)", [name]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("resumes with a correction if Oxbow paused it, and not if a person did", async () => {
    const database = await createDatabase();
    const wrong = { on: "schedule", cron: "0 9 31W * *" };
    const { name } = await listening(database, { trigger: wrong });
    const own = `definition:${name}:changed`;
    const stop = async (): Promise<void> => {
      const { receipt } = await due(database);
      await database.query("select queue.schedule_tick($1, '{}', null, 'no such day')", [receipt]);
      expect(await schedulesOf(database, name)).toMatchObject([{ is_paused: true }]);
    };
    await stop();
    await republish(database, name, CRON);
    expect(await schedulesOf(database, name)).toMatchObject([
      { cron: CRON.cron, is_paused: false },
    ]);
    expect((await due(database)).message).toMatchObject({ schedule: own, cron: CRON.cron });

    await republish(database, name, wrong);
    await stop();
    const [paused] = await database.query("select queue.schedule_pause($1, 'holidays') as now", [
      own,
    ]);
    expect(paused).toEqual({ now: true });
    await republish(database, name, CRON);
    expect(await schedulesOf(database, name)).toMatchObject([{ cron: CRON.cron, is_paused: true }]);
    expect(await receiveTick(database)).toBeUndefined();
  });

  it("is undone with the publication", async () => {
    const database = await createDatabase();
    const { name } = await listening(database, { trigger: CRON });
    const wrong = [
      { on: "schedule", cron: "0 9 *" },
      { on: "schedule", every: "1.5s" },
      { on: "schedule", every: 500 },
      { on: "schedule" },
      { on: "schedule", cron: "0 9 * * *", time_zone: "Europe/Berln" },
    ];
    for (const trigger of wrong) {
      expect(await codeOf(republish(database, name, trigger))).toBe("OX004");
    }
    expect(await schedulesOf(database, name)).toMatchObject([{ cron: CRON.cron }]);
  });

  it("takes no schedule over that was made before its name was kept for triggers", async () => {
    const database = await createDatabase();
    const { name } = await listening(database);
    await database.query("select queue.schedule_create('mine', 'w', '* * * * *')");
    await database.query("update queue.schedule set name = $1", [`definition:${name}:changed`]);
    expect(await codeOf(republish(database, name, CRON))).toBe("OX016");
    expect(await schedulesOf(database, "w")).toMatchObject([{ cron: "* * * * *" }]);
    expect(await schedulesOf(database, name)).toEqual([]);
  });

  it("can't be made, deleted or triggered by hand", async () => {
    const database = await createDatabase();
    const { name } = await listening(database, { trigger: CRON });
    const own = `definition:${name}:changed`;
    const make = database.query("select queue.schedule_create($1, 'w', '* * * * *')", [own]);
    expect(await codeOf(make)).toBe("OX003");
    for (const call of ["schedule_delete", "schedule_trigger"]) {
      expect(await codeOf(database.query(`select queue.${call}($1)`, [own]))).toBe("OX004");
    }
  });

  it("makes one event of a tick, which starts one run, or nothing while the definition is paused", async () => {
    const database = await createDatabase();
    const { name, pool } = await listening(database, {
      trigger: { on: "schedule", every: "1s" },
    });
    const first = await due(database);
    const at = new Date((Math.floor(Date.now() / 1_000) + 1) * 1_000);
    await tick(database, first.receipt, [], at);
    const message = await due(database);
    const later = new Date(at.getTime() + 3_600_000);
    const ticked = await tick(database, message.receipt, [at], later);
    expect(ticked).toEqual({ outcome: "ok", run_ids: [null] });
    expect((await tick(database, message.receipt, [at], later)).outcome).toBe("lost");

    const event = only((await receive(database, pool, null, 0)).events);
    const scheduledAt = at.toISOString().replace(".000", "");
    expect(event).toMatchObject({
      topic: `oxbow.schedule.${name}.changed`,
      message: { scheduled_at: scheduledAt },
      only: { definition: name, trigger: "changed" },
    });
    // Its worker dies; another one receives it again.
    const again = only((await receive(database, pool)).events);
    await database.query("select queue.definition_pause($1)", [name]);
    await commit(database, pool, [again], [start(again, name)]);
    expect(await runsOf(database, name)).toEqual([]);
    expect(await matchesOf(database, again)).toMatchObject([{ outcome: "paused" }]);
    const [listed] = await database.query("select topic from queue.trigger_events($1)", [name]);
    expect(listed).toEqual({ topic: event.topic });
  });
});
