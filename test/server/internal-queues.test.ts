/** Tokens can do nothing with Oxbow's internal queues. */
import { createWorkflowClient } from "@oxbow/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { oxbow, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";
import { publish, subscribe } from "../helpers/topics.ts";

const database = await createDatabase();
const direct = createWorkflowClient({ url: database.url });
afterAll(() => direct.close());
const INTERNAL = ["__http", "__topic_dead_letters", "__schedules"];

const subscription = await subscribe(database, "paid", { http: "https://example.org/hook" });
await database.query("select queue.schedule_create('nightly', 'clean', cron => '0 3 * * *')");
await publish(database, "paid", { secret: "of all tenants" });
const server = await startTestServer(database, { secrets: "make:produce work:work all:admin" });

const forged = () => ({
  message: { forged: true },
  messageGroupId: "g",
  headers: { subscription_id: Number(subscription), url: "https://evil.example/", topic: "paid" },
});

describe("through the server, an internal queue", () => {
  it("takes no message, whatever the scope", async () => {
    for (const token of ["make", "all"]) {
      for (const queue of INTERNAL) {
        for (const body of [
          forged(),
          { ...forged(), messageGroupId: undefined },
          { messages: [{ message: 1 }] },
        ]) {
          const answer = await server.request("POST", `/v1/queues/${queue}/messages`, {
            token,
            body,
          });
          expect([token, queue, answer.status, answer.body.code]).toEqual([
            token,
            queue,
            409,
            "WRONG_QUEUE_KIND",
          ]);
        }
      }
    }
  });

  it("gives no message, whatever the scope, nor can one be acknowledged or hidden", async () => {
    for (const token of ["work", "all"]) {
      for (const queue of INTERNAL) {
        for (const [method, path, body] of [
          ["POST", "/receive", {}],
          ["POST", "/receive", { waitSeconds: 1 }],
          ["DELETE", "/messages/1", undefined],
          ["PATCH", "/messages/1", { visibilityTimeout: 0 }],
        ] as const) {
          const answer = await server.request(method, `/v1/queues/${queue}${path}`, {
            token,
            body,
          });
          expect([token, queue, path, answer.body.code]).toEqual([
            token,
            queue,
            path,
            "WRONG_QUEUE_KIND",
          ]);
        }
      }
    }
  });

  it("is neither purged nor dropped, nor made a target or a dead letter queue", async () => {
    const ask = async (method: string, path: string, body?: unknown) =>
      (await server.request(method, path, { token: "all", body })).body.code;
    for (const queue of INTERNAL) {
      expect(await ask("DELETE", `/v1/queues/${queue}/messages`)).toBe("WRONG_QUEUE_KIND");
      expect(await ask("DELETE", `/v1/queues/${queue}`)).toBe("WRONG_QUEUE_KIND");
      const target = { type: "queue", target: queue };
      expect(await ask("POST", "/v1/topics/x/subscriptions", target)).toBe("WRONG_QUEUE_KIND");
      const letters = { name: "mine", maxReceives: 1, deadLetterQueue: queue };
      expect(await ask("POST", "/v1/queues", letters)).toBe("WRONG_QUEUE_KIND");
    }
  });

  it("is there to be looked at", async () => {
    expect(await server.request("GET", "/v1/queues/__http", { token: "all" })).toMatchObject({
      status: 200,
      body: { visible: 1 },
    });
  });
});

it("dead letters of topics, through the server are for administrators, by the API, the SDK and the command", async () => {
  await database.query("select queue.create_queue('grouped', fifo => true)");
  const broken = await subscribe(
    database,
    "letter",
    { queue: "grouped" },
    { options: { group: "g" } },
  );
  for (const n of [1, 2, 3]) await publish(database, "letter", { n });
  for (const token of ["make", "work"]) {
    const answer = await server.request("GET", "/v1/topic-dead-letters", { token });
    expect([token, answer.status]).toEqual([token, 403]);
  }
  const { body } = await server.request(
    "GET",
    `/v1/topic-dead-letters?max=1&subscriptionId=${broken}`,
    { token: "all" },
  );
  expect(body.letters).toMatchObject([
    { subscriptionId: broken, topic: "letter", targetType: "queue", message: { n: 1 } },
  ]);

  await using through = createWorkflowClient({ url: server.url, token: secretOf("all") });
  const letters = await direct.topics.deadLetters({ subscriptionId: broken });
  expect(await through.topics.deadLetters({ subscriptionId: broken })).toEqual(letters);
  expect(letters.map(({ message }) => message)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  const [first] = letters;
  expect(await through.topics.deleteDeadLetters([first?.id ?? ""])).toEqual([first?.id]);
  await expect(through.topics.deleteDeadLetters(["x"])).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });

  const run = oxbowOf(database.url);
  expect((await run("topics", "letters", "--max", "1")).stdout).toMatch(/letter +grouped/);
  await database.query("update queue.subscription set options = '{}' where subscription_id = $1", [
    broken,
  ]);
  expect(
    await oxbow(
      ["topics", "redrive", "--max", "1", "--subscription", broken, "--url", server.url],
      { env: { QUEUE_TOKEN: secretOf("all") } },
    ),
  ).toMatchObject({ code: 0, stdout: "Published 1 dead letter again." });
  expect(await direct.topics.deadLetters()).toMatchObject([{ message: { n: 3 } }]);
  expect(await direct.topics.redrive({ subscriptionId: broken })).toBe(1);
  expect((await run("topics", "letters")).stderr).toBe("No dead letters.");
});

it("by the command, an internal queue is refused, with the reason", async () => {
  const run = oxbowOf(database.url);
  for (const words of [
    ["send", "__http", "{}", "--group", "g"],
    ["send", "__topic_dead_letters", "{}"],
    ["receive", "__schedules"],
    ["purge", "__http", "--yes"],
    ["delete", "__http", "--yes"],
  ]) {
    const { code, stderr } = await run("queues", ...words);
    expect([words, code]).not.toEqual([words, 0]);
    expect(stderr).toMatch(/belongs to Oxbow/);
  }
});
