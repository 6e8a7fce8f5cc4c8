import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

it("is the same key in every release, whose sessions wake each other during an upgrade", async () => {
  const session = await openSession(database);
  await session.query("set role oxbow_worker");
  const rows = await session.query(
    `select queue.wake_key('queue_mail') = hashtextextended('oxbow:queue_mail', 0) as formula,
       queue._wake_key('queue_mail') = queue.wake_key('queue_mail') as former_name`,
  );
  expect(rows).toEqual([{ formula: true, former_name: true }]);
});
