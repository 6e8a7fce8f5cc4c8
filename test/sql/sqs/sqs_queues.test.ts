/** Queues as clients of SQS see them: names, attributes, tags. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

interface State extends Record<string, unknown> {
  readonly name: string;
  readonly sqs_name: string;
}

const create = async (name: string, ...more: object[]): Promise<State> =>
  only(
    await database.query<State>(
      `select * from queue.sqs_create_queue($1${more.map((_, index) => `, $${index + 2}`).join("")})`,
      [name, ...more.map((one) => JSON.stringify(one))],
    ),
  );

const find = async (name: string): Promise<State> =>
  only(await database.query<State>("select * from queue.sqs_find_queue($1)", [name]));

describe("a queue that a client of SQS creates", () => {
  it("has the same name where queues may have it, keeps messages for four days, and is found again", async () => {
    const created = await create(
      "orders",
      { visibility_timeout: 45 },
      { MaximumMessageSize: "2048" },
      { team: "a" },
    );
    expect(created).toMatchObject({
      sqs_name: "orders",
      name: "orders",
      kind: "standard",
      visibility_timeout: 45,
      retention_seconds: 345_600,
      attributes: { MaximumMessageSize: "2048" },
      tags: { team: "a" },
    });
    expect(await create("orders")).toEqual(created);
    expect(await find("orders")).toEqual(created);
  });

  it.each([
    ["mails.fifo", /^mails$/],
    ["Invoices", /^invoices-[0-9a-f]{8}$/],
    ["Invoices.fifo", /^invoices-[0-9a-f]{8}$/],
    ["_x", /^x-[0-9a-f]{8}$/],
    ["___", /^sqs-[0-9a-f]{16}$/],
    [`${"long-".repeat(15)}.fifo`, /^(long-){7}long-[0-9a-f]{8}$/],
  ])("named %s is found by this name, whatever its queue is called", async (name, called) => {
    const { name: queue, kind } = await create(name);
    expect(queue).toMatch(called);
    expect(kind).toBe(name.endsWith(".fifo") ? "fifo" : "standard");
    expect(await find(name)).toMatchObject({ name: queue });
  });

  it("gets another name while a queue of another kind has its own", async () => {
    await create("both");
    expect(await create("both.fifo")).toMatchObject({ name: "both-fifo", kind: "fifo" });
    expect(await find("both")).toMatchObject({ name: "both", kind: "standard" });
  });

  it("is refused with other attributes than it has", async () => {
    await create("settled", { delay_seconds: 5 }, { ReceiveMessageWaitTimeSeconds: "3" });
    await expect(create("settled", { delay_seconds: 6 })).rejects.toMatchObject({ code: "OX002" });
    await expect(create("settled", {}, { ReceiveMessageWaitTimeSeconds: "4" })).rejects.toThrow(
      'queue "settled" exists with another ReceiveMessageWaitTimeSeconds',
    );
    expect(await create("settled", { delay_seconds: 5 })).toMatchObject({ delay_seconds: 5 });
  });

  it.each([
    ["ReceiveMessageWaitTimeSeconds", "0", "1"],
    ["MaximumMessageSize", "1048576", "2048"],
    ["ContentBasedDeduplication", "false", "true"],
    ["FifoThroughputLimit", "perQueue", "perMessageGroupId"],
    ["RedriveAllowPolicy", null, "{}"],
  ])(
    "has the default of an attribute that it was created without: %s",
    async (name, preset, other) => {
      const created = await create("preset.fifo");
      expect(await create("preset.fifo", {}, { [name]: preset })).toEqual(created);
      await expect(create("preset.fifo", {}, { [name]: other })).rejects.toMatchObject({
        code: "OX002",
      });
      const differs = `differs-${name}.fifo`;
      await create(differs, {}, { [name]: other });
      await expect(create(differs, {}, { [name]: preset })).rejects.toMatchObject({
        code: "OX002",
      });
    },
  );

  it.each(["", "a b", "a.b", "x".repeat(81), ".fifo", "a.fifo.fifo"])(
    "is refused as %j",
    async (name) => {
      await expect(create(name)).rejects.toMatchObject({ code: "OX003" });
    },
  );

  it("is created once by calls at the same time", async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(database)));
    const rows = await Promise.all(
      sessions.map((session) => session.query("select * from queue.sqs_create_queue('at-once')")),
    );
    expect(new Set(rows.map(([row]) => row?.["name"]))).toEqual(new Set(["at-once"]));
  });

  it("is forgotten when its queue is dropped", async () => {
    const { name } = await create("Gone", {}, {}, { a: "b" });
    await database.query("select queue.drop_queue($1)", [name]);
    await expect(find("Gone")).rejects.toMatchObject({ code: "OX001" });
    expect(await create("Gone")).toMatchObject({ tags: {} });
  });
});

describe("a queue that SQL creates", () => {
  it("is found by its name, with .fifo behind it if it is a FIFO queue", async () => {
    await database.query(
      "select queue.create_queue('plain'), queue.create_queue('lined', fifo => true)",
    );
    expect(await find("plain")).toMatchObject({ name: "plain", attributes: {}, tags: {} });
    expect(await find("lined.fifo")).toMatchObject({ name: "lined", kind: "fifo" });
    await expect(find("lined")).rejects.toMatchObject({ code: "OX001" });
  });

  it("is not found if Oxbow or a workflow owns it", async () => {
    await database.query("select queue.workflow_start('hidden', '{}')");
    await expect(find("__wf_hidden")).rejects.toMatchObject({ code: "OX001" });
    await expect(find("__topic_dead_letters")).rejects.toMatchObject({ code: "OX001" });
  });
});

it("a list has a page of the queues whose names begin alike, or whose dead letters go to one", async () => {
  await database.query("select queue.create_queue('list-dead')");
  for (const name of ["list-c", "list-A", "list-b"]) {
    await create(name, { dead_letter_queue: "list-dead", max_receives: 3 });
  }
  const list = async (...values: unknown[]): Promise<unknown[]> =>
    (await database.query("select * from queue.sqs_list_queues($1, $2, $3, $4)", values)).map(
      (row) => row["sqs_name"],
    );
  expect(await list("list-", null, 2, "")).toEqual(["list-A", "list-b"]);
  expect(await list("list-", null, 2, "list-b")).toEqual(["list-c", "list-dead"]);
  expect(await list("", "list-dead", 10, "")).toEqual(["list-A", "list-b", "list-c"]);
  await expect(list("", null, 0, "")).rejects.toMatchObject({ code: "OX004" });
});

describe("attributes and tags", () => {
  it("change one by one", async () => {
    const before = await create("changing", {}, { MaximumMessageSize: "2048" });
    const rows = await database.query(
      `select * from queue.sqs_set_attributes('changing', '{"delay_seconds": 7}', '{"MaximumMessageSize": null, "FifoThroughputLimit": "perQueue"}')`,
    );
    expect(only(rows)).toMatchObject({
      delay_seconds: 7,
      attributes: { FifoThroughputLimit: "perQueue" },
    });
    expect(only(rows)["changed_at"]).not.toEqual(before["changed_at"]);
    await database.query(`select queue.sqs_tag_queue('changing', '{"a": "1", "b": "2"}')`);
    const tagged = await database.query(
      `select * from queue.sqs_tag_queue('changing', '{"a": "3"}', array['b', 'c'])`,
    );
    expect(only(tagged)["tags"]).toEqual({ a: "3" });
  });

  it("are refused beyond fifty tags", async () => {
    await create("tagged");
    const tags = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, ""]));
    await expect(
      database.query("select queue.sqs_tag_queue('tagged', $1)", [JSON.stringify(tags)]),
    ).rejects.toMatchObject({ code: "OX004" });
    expect(await find("tagged")).toMatchObject({ tags: {} });
  });
});

it("a purge happens once a minute", async () => {
  await create("purged");
  await database.query("select queue.send('purged', '1')");
  const purge = async (): Promise<unknown> =>
    only(await database.query("select queue.sqs_purge_queue('purged')::text as purged"))["purged"];
  expect(await purge()).toBe("1");
  await database.query("select queue.send('purged', '1')");
  expect(await purge()).toBeNull();
  await database.query(
    "update queue.sqs_queue set purged_at = purged_at - interval '61 seconds' where sqs_name = 'purged'",
  );
  expect(await purge()).toBe("1");
});
