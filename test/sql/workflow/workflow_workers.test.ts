import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";

const database = await createDatabase();

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const report = async (n: number, rest = "'{\"order\": [1, 2]}', 100, 3"): Promise<unknown> => {
  const [row] = await database.query(
    `select queue.workflow_report_worker($1, 'host', ${n}, '1.2.3', ${rest}) as first`,
    [idOf(n)],
  );
  return row?.["first"];
};

const listed = (rest = ""): Promise<Record<string, unknown>[]> =>
  database.query(
    `select process_id, serves, slots, busy_slots, is_live from queue.workflow_workers()${rest}`,
  );

describe("workflow_workers", () => {
  it("lists what each worker reported last, until it is removed", async () => {
    expect(await report(1)).toBe(true);
    expect(await report(1, "'{\"order\": [1, 2]}', 100, 7")).toBe(false);
    expect(await listed(" where process_id = 1")).toEqual([
      { process_id: 1, serves: { order: [1, 2] }, slots: 100, busy_slots: 7, is_live: true },
    ]);
    const remove = () =>
      database.query("select queue.workflow_remove_worker($1) as removed", [idOf(1)]);
    expect(await remove()).toEqual([{ removed: true }]);
    expect(await remove()).toEqual([{ removed: false }]);
    expect(await listed(" where process_id = 1")).toEqual([]);
  });

  it("shows a worker that was killed as gone, then not at all, and the next one deletes it", async () => {
    await report(2);
    const seen = (ago: string) =>
      database.query(
        "update queue.workflow_worker set last_seen_at = now() - $1::interval where process_id = 2",
        [ago],
      );
    await seen("2 minutes");
    expect(await listed(" where process_id = 2")).toMatchObject([{ is_live: false }]);
    await seen("61 minutes");
    expect(await listed(" where process_id = 2")).toEqual([]);
    await report(3);
    expect(await database.query("select process_id from queue.workflow_worker")).toEqual([
      { process_id: 3 },
    ]);
  });

  it("lists a worker again that was taken for gone", async () => {
    await report(4);
    await database.query("delete from queue.workflow_worker where process_id = 4");
    expect(await report(4)).toBe(true);
    expect(await listed(" where process_id = 4")).toHaveLength(1);
  });

  it.each(["'[]', 100, 3", "null, 100, 3", "'{}', 0, 0", "'{}', null, 0"])(
    "refuses a report of %s",
    async (rest) => {
      await expect(report(5, rest)).rejects.toMatchObject({ code: "OX004" });
    },
  );
});
