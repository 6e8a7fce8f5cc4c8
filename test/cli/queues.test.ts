import { createWorkflowClient } from "@oxbow/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { documents, oxbow, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { VERSION } from "../helpers/version.ts";

const database = await createDatabase();
const run = oxbowOf(database.url);
const client = createWorkflowClient({ url: database.url });
afterAll(() => client.close());

describe("oxbow queues", () => {
  it("makes a queue, unless it is there with other settings, and shows it", async () => {
    await client.queues.create("dead");
    const create = [
      "queues",
      "create",
      "made",
      "--max-receives",
      "3",
      "--dead-letter-queue",
      "dead",
    ];
    expect((await run(...create)).stdout).toBe("Created queue made.");
    expect((await run(...create)).stdout).toBe("Queue made already exists.");
    const [other, list, show, json] = await Promise.all([
      run("queues", "create", "made", "--fifo"),
      run("queues", "list"),
      run("queues", "show", "made"),
      run("queues", "show", "made", "--json"),
    ]);
    expect(other).toMatchObject({ code: 6, stdout: "" });
    expect(list.stdout).toMatch(
      /^QUEUE +KIND +VISIBILITY.*\n(?:.*\n)*made +standard +30s +3 +dead/,
    );
    expect(show.stdout).toMatch(/^dead letters +to dead after 3 receives$/m);
    expect(documents(json)).toMatchObject([{ name: "made", visible: 0, deadLetterQueue: "dead" }]);
  });

  it("shows the name that a client of SQS has given, where queues can't have it", async () => {
    await database.query(
      "select queue.sqs_create_queue('plain'), queue.sqs_create_queue('Orders.fifo')",
    );
    const [queue] = await database.query<{ name: string }>(
      "select name from queue.sqs_find_queue('Orders.fifo')",
    );
    const name = String(queue?.name);
    const [list, show, plain, json] = await Promise.all([
      run("queues", "list"),
      run("queues", "show", name),
      run("queues", "show", "plain"),
      run("queues", "show", name, "--json"),
    ]);
    expect(list.stdout).toMatch(new RegExp(`^${name} +Orders.fifo +fifo `, "m"));
    expect(show.stdout).toMatch(/^name in SQS +Orders.fifo$/m);
    expect(plain.stdout).not.toContain("SQS");
    expect(documents(json)).toMatchObject([{ name, sqsName: "Orders.fifo" }]);
  });

  it("alters a queue", async () => {
    await client.queues.create("lost");
    await client.queues.create("altered", { retention: "1h" });
    const to = ["--max-receives", "3", "--dead-letter-queue", "lost", "--no-retention"];
    expect((await run("queues", "alter", "altered", "--delay", "5s", ...to)).stdout).toBe(
      "Changed queue altered.",
    );
    const [show, cleared, nothing] = await Promise.all([
      run("queues", "show", "altered"),
      run("queues", "alter", "altered", "--no-dead-letter-queue", "--json"),
      run("queues", "alter", "altered"),
    ]);
    expect(show.stdout).toMatch(/^delay +5s$/m);
    expect(documents(cleared)).toMatchObject([
      { name: "altered", maxReceives: null, deadLetterQueue: null, retentionMs: null },
    ]);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("--help") });
  });

  it("lists the queues that hold dead letters", async () => {
    expect((await run("queues", "dead-letters")).stderr).toBe("No queue holds dead letters.");
    await client.queues.create("grave");
    await client.queues.create("mortal", {
      visibilityTimeout: "0s",
      maxReceives: 1,
      deadLetterQueue: "grave",
    });
    await client.queues.send("mortal", 1);
    await client.queues.receive("mortal");
    await client.queues.receive("mortal");
    const [table, json, after] = await Promise.all([
      run("queues", "dead-letters"),
      run("queues", "dead-letters", "--json"),
      run("queues", "dead-letters", "--after", "grave"),
    ]);
    expect(table.stdout).toMatch(/^QUEUE +DEAD LETTERS\ngrave +1$/);
    expect(documents(json)).toEqual([{ name: "grave", messages: 1, hasMore: false }]);
    expect(after.stdout).toBe("");
    await client.queues.purge("grave");
  });

  it("sends, receives and deletes messages", async () => {
    await client.queues.create("mail");
    expect(
      documents(await run("queues", "send", "mail", '{"to":"ada"}', "--header", "n:=1", "--json")),
    ).toEqual([{ queue: "mail", id: "1" }]);
    const received = await run("queues", "receive", "mail", "--visibility-timeout", "0s", "--json");
    expect(documents(received)).toMatchObject([{ body: { to: "ada" }, headers: { n: 1 } }]);
    expect((await run("queues", "receive", "mail", "--delete")).stdout).toContain('{"to":"ada"}');
    expect(await run("queues", "receive", "mail")).toEqual({
      code: 0,
      stdout: "",
      stderr: "Queue mail has no visible message.",
    });
  });

  it("peeks at messages without receiving them", async () => {
    await client.queues.create("peeked");
    await client.queues.sendBatch("peeked", [{ n: 1 }, { n: 2 }]);
    const [table, json, none] = await Promise.all([
      run("queues", "peek", "peeked"),
      run("queues", "peek", "peeked", "--matching", '{"n":2}', "--json"),
      run("queues", "peek", "peeked", "--matching", '{"n":3}'),
    ]);
    expect(table.stdout).toMatch(
      /^MESSAGE +STATE +RECEIVES.*\n\d+ +ready .*\{"n":1\}\n\d+ +ready /,
    );
    expect(documents(json)).toMatchObject([{ state: "ready", body: { n: 2 }, receiveCount: 0 }]);
    expect(none).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No messages match in queue peeked.",
    });
    expect((await client.queues.stats("peeked")).visible).toBe(2);
  });

  it("sends dead letters back", async () => {
    await client.queues.create("letters");
    await client.queues.create("once", { maxReceives: 1, deadLetterQueue: "letters" });
    await client.queues.send("once", 1);
    await client.queues.receive("once", { visibilityTimeout: 0 });
    await client.queues.receive("once");
    expect((await run("queues", "redrive", "letters", "4711")).stdout).toBe(
      "Sent 0 dead letters back.",
    );
    await expect(client.queues.redrive("letters", { ids: ["first"] })).rejects.toThrow("first");
    expect((await run("queues", "redrive", "letters")).stdout).toBe("Sent 1 dead letter back.");
    expect((await client.queues.stats("once")).visible).toBe(1);
  });

  it("moves messages to another queue", async () => {
    await client.queues.create("moved-from");
    await client.queues.create("moved-to");
    await client.queues.sendBatch("moved-from", [1, 2, 3]);
    const move = ["queues", "move", "moved-from", "moved-to"];
    expect((await run(...move, "--max", "1")).stdout).toBe(
      "Moved 1 message from moved-from to moved-to.",
    );
    expect(documents(await run(...move, "--json"))).toEqual([
      { source: "moved-from", target: "moved-to", moved: 2 },
    ]);
    expect((await client.queues.stats("moved-to")).visible).toBe(3);
    expect(await run("queues", "move", "moved-from", "nowhere")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("nowhere"),
    });
  });

  it("empties and drops a queue only with --yes, without a terminal", async () => {
    await client.queues.create("full");
    await client.queues.send("full", 1);
    expect(await run("queues", "purge", "full")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Delete 1 message of queue "full"?'),
    });
    expect(await run("queues", "delete", "full")).toMatchObject({ code: 2 });
    expect((await run("queues", "purge", "full", "--yes")).stdout).toBe(
      "Deleted 1 message of full.",
    );
    expect((await run("queues", "delete", "full", "--yes")).stdout).toBe("Dropped queue full.");
    expect(await run("queues", "show", "full")).toMatchObject({ code: 3, stdout: "" });
  });

  it("sends to message groups of a FIFO queue, once an id", async () => {
    await client.queues.create("orders", { fifo: true });
    const send = ["queues", "send", "orders", "7", "--group", "ada", "--deduplication-id", "x"];
    const [first, second] = [await run(...send), await run(...send)];
    expect(second.stdout).toBe(first.stdout);
    expect(await run("queues", "send", "orders", "7")).toMatchObject({ code: 2 });
  });
});

it("oxbow topics subscribes, publishes and ends a subscription", async () => {
  await client.queues.create("paid");
  const subscribe = ["topics", "subscribe", "order.*.paid", "--queue", "paid"];
  const [made] = documents(await run(...subscribe, "--filter", '{"currency":"EUR"}', "--json"));
  const { id } = made as { id: string };
  expect((await run("topics", "list")).stdout).toMatch(
    /^ID +PATTERN.*\n\d+ +order\.\*\.paid +queue +paid +.*\{"currency":"EUR"\}/,
  );
  const message = '{"currency":"EUR"}';
  expect((await run("topics", "publish", "order.7.paid", message)).stdout).toBe(
    "Sent to 1 target.",
  );
  expect((await run("topics", "targets", "order.7.paid", message)).stdout).toMatch(
    /order\.\*\.paid +queue +paid/,
  );
  expect((await run("topics", "targets", "order.7", message)).stderr).toBe(
    'No subscription matches "order.7".',
  );
  expect((await run("topics", "enable", id)).stdout).toBe(`Delivering to subscription ${id}.`);
  expect((await run("topics", "unsubscribe", id)).stdout).toBe(`Ended subscription ${id}.`);
  expect(await run("topics", "unsubscribe", id)).toMatchObject({ code: 3 });
  expect(await run("topics", "enable", id)).toMatchObject({ code: 3 });
  expect(await run("topics", "subscribe", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Give one target"),
  });
});

it("the log of deliveries is listed, shown with each attempt, and sent again from", async () => {
  const id = await client.topics.subscribe("logged", { http: "https://u:secret@example.org/" });
  await client.topics.publish("logged", { n: 1 });
  const settle = (call: string, report: string) =>
    database.query(`select ${call} from queue.deliveries_receive()`, [report]);
  await settle("queue.delivery_retry(receipt, 0, 'status 500', $1)", '{"status_code": 500}');
  await settle(
    "queue.deliveries_succeeded(array[subscription_id], array[receipt], array[$1::jsonb])",
    '{"status_code": 202, "duration_ms": 7, "response": "taken"}',
  );
  const [found] = documents(await run("topics", "deliveries", "--json"));
  const { id: delivery } = found as { id: string };
  const [list, none, invalid, show, resend, missing] = await Promise.all([
    run("topics", "deliveries", "--subscription", id, "--status", "delivered"),
    run("topics", "deliveries", "--before", delivery),
    run("topics", "deliveries", "--status", "sent"),
    run("topics", "delivery", delivery),
    run("topics", "resend", delivery, "987654321"),
    run("topics", "delivery", "987654321"),
  ]);
  expect(list.stdout).toMatch(
    /logged +https:\/\/u:\*\*\*@example\.org\/ +delivered +2 +\S+ \S+Z +202/,
  );
  expect(none.stderr).toBe("No deliveries.");
  expect(invalid).toMatchObject({ code: 2, stderr: expect.stringContaining('"sent"') });
  expect(show.stdout).toMatch(
    /: delivered\n[^]*Message \{"n":1\}\n[^]*\n1 +\S+ \S+Z +500 +status 500\n2 +\S+ \S+Z +7 +202 +"taken"$/,
  );
  expect(resend).toMatchObject({
    code: 1,
    stdout: "Sending 1 delivery again.",
    stderr: expect.stringContaining("987654321 is not sent again"),
  });
  expect(missing).toMatchObject({ code: 3, stdout: "" });
  expect(await run("topics", "resend", delivery)).toMatchObject({ code: 0, stderr: "" });
});

it("oxbow schedules lists, pauses, resumes, triggers and deletes", async () => {
  await client.schedules.create({ name: "nightly", workflow: "report", cron: "0 3 * * *" });
  expect((await run("schedules", "list")).stdout).toMatch(
    /nightly +report +0 3 \* \* \* \(UTC\) +\d{4}-\d\d-\d\d 03:00:00Z +on$/,
  );
  expect((await run("schedules", "next", "nightly", "--count", "2")).stdout).toMatch(
    /^\d{4}-\d\d-\d\d 03:00:00Z\n\d{4}-\d\d-\d\d 03:00:00Z$/,
  );
  expect((await run("schedules", "pause", "nightly", "--reason", "audit")).code).toBe(0);
  expect((await run("schedules", "list")).stdout).toContain("paused audit");
  expect((await run("schedules", "pause", "nightly")).code).toBe(6);
  expect((await run("schedules", "resume", "nightly")).stdout).toBe("Resumed schedule nightly.");
  const [triggered] = documents(await run("schedules", "trigger", "nightly", "--json"));
  const { runId } = triggered as { runId: string };
  expect((await client.runs.find(runId)).name).toBe("report");
  expect((await run("schedules", "delete", "nightly")).code).toBe(2);
  expect((await run("schedules", "delete", "nightly", "--yes")).code).toBe(0);
  expect((await run("schedules", "delete", "nightly", "--yes")).code).toBe(3);
});

it("oxbow has help for each command, and a version", async () => {
  const [help, version, start] = await Promise.all([
    oxbow(["--help"]),
    oxbow(["--version"]),
    oxbow(["help", "start"]),
  ]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(version).toEqual({ code: 0, stdout: VERSION, stderr: "" });
  expect(start.stdout).toContain("--on-running <rule>");
});
