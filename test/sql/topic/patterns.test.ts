import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { documentOf, newDefinitionName, publishedDefinition } from "../../helpers/definitions.ts";
import { newQueue, only } from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";
import { publish, subscribe } from "../../helpers/topics.ts";

const database = await createDatabase();

/** The meaning of a pattern, in the shortest form. */
function matches(pattern: readonly string[], topic: readonly string[]): boolean {
  const [word, ...rest] = pattern;
  const [next, ...others] = topic;
  if (word === undefined) return next === undefined;
  if (word === "#") return matches(rest, topic) || (next !== undefined && matches(pattern, others));
  return next !== undefined && (word === "*" || word === next) && matches(rest, others);
}

async function matching(on: TestDatabase, topic: string): Promise<string[]> {
  const rows = await on.query<{ pattern: string }>(
    `select s.pattern
     from queue.list_subscriptions() as s
     where s.subscription_id = any (queue._subscriptions_for($1, '{}'))
     order by s.pattern`,
    [topic],
  );
  return rows.map((row) => row.pattern);
}

// Words that are beginnings of each other, and whose next character sorts before and after the ".".
// And what a regular expression would read otherwise.
const word = fc.constantFrom("a", "b", "a-b", "a/b", "ab", "A", "é", "[a]", "a+", "\\w", "^", "{}");

describe("a pattern", () => {
  it("matches the topics that its words say, whatever else is subscribed", async () => {
    const patterns = fc.uniqueArray(
      fc.array(fc.oneof({ weight: 3, arbitrary: word }, fc.constantFrom("*", "#")), {
        minLength: 1,
        maxLength: 5,
      }),
      { minLength: 1, maxLength: 30, selector: (words) => words.join(".") },
    );
    const topics = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 10,
    });
    const queue = await newQueue(database);
    await fc.assert(
      fc.asyncProperty(patterns, topics, async (subscribed, published) => {
        for (const pattern of subscribed) await subscribe(database, pattern.join("."), { queue });
        for (const topic of published) {
          const expected = subscribed
            .filter((pattern) => matches(pattern, topic))
            .map((pattern) => pattern.join("."));
          expect((await matching(database, topic.join("."))).toSorted()).toEqual(
            expected.toSorted(),
          );
          const one = await database.query<{ pattern: string }>(
            `select pattern from unnest($1::text[]) as p (pattern)
             where queue._topic_matches(p.pattern, $2)`,
            [subscribed.map((words) => words.join(".")), topic.join(".")],
          );
          expect(one.map(({ pattern }) => pattern)).toEqual(expected);
        }
        await database.query(
          "select queue.unsubscribe(s.subscription_id) from queue.list_subscriptions() as s",
        );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["", "non-empty words"],
    ["a..b", "non-empty words"],
    [".a", "non-empty words"],
    ["a b", "non-empty words"],
    ["a.b*", "non-empty words"],
    [`${"a.".repeat(32)}a`, "1 to 32 words"],
    ["a".repeat(256), "at most 255 bytes"],
  ])("is refused when it is %j", async (pattern, hint) => {
    const queue = await newQueue(database);
    await expect(subscribe(database, pattern, { queue })).rejects.toMatchObject({
      code: "OX004",
      hint: expect.stringContaining(hint) as string,
    });
  });

  it.each(["", "a.*", "#", "a..b", "a b", "a\n"])(
    "is not what a message can be published to: %j",
    async (topic) => {
      await expect(publish(database, topic, {})).rejects.toMatchObject({ code: "OX004" });
    },
  );

  it("is plain data, however hostile", async () => {
    const queue = await newQueue(database);
    const topic = `$$;drop.table';--.%I."q"\\`;
    await subscribe(database, topic, { queue });
    expect(await publish(database, topic, {})).toBe(1);
    expect(
      only(
        await database.query("select count(*)::int as n from queue.list_subscriptions($1)", [
          topic,
        ]),
      ),
    ).toEqual({ n: 1 });
  });
});

describe("a topic of Oxbow", () => {
  it("goes to patterns that begin with its first word, and never stops a run", async () => {
    const own = await createDatabase();
    const [all, some] = [await newQueue(own), await newQueue(own)];
    for (const pattern of ["#", "*.run.#", "*.*.*.completed"]) {
      await subscribe(own, pattern, { queue: all });
    }
    await subscribe(own, "oxbow.#", { queue: some });
    await subscribe(
      own,
      "oxbow.run.#",
      { workflow: "after" },
      { options: { strict: true, once_for: ["missing"] } },
    );
    const topic = "oxbow.run.outputs.completed";
    expect(await matching(own, topic)).toEqual(["oxbow.#", "oxbow.run.#"]);
    const matched = await own.query(
      "select p from unnest($1::text[]) as p where queue._topic_matches(p, $2)",
      [["#", "*.run.#", "*.*.*.completed", "oxbow.#", "oxbow.run.#"], topic],
    );
    expect(matched).toEqual([{ p: "oxbow.#" }, { p: "oxbow.run.#" }]);
    const targets = await own.query<{ is_strict: boolean }>(
      "select is_strict from queue.topic_targets($1, '{}')",
      [topic],
    );
    expect(targets).toEqual([{ is_strict: false }, { is_strict: false }]);

    const runs = new Runs(own, "outputs");
    await runs.start();
    await runs.commit([
      { delivery: await runs.receiveOne(), transition: "complete", result: "private" },
    ]);
    expect(await own.query("select message from queue.receive($1)", [all])).toEqual([]);
    expect(await own.query("select message from queue.receive($1)", [some])).toMatchObject([
      { message: { workflow: "outputs", output: "private" } },
    ]);
    expect(await own.query("select topic from queue.topic_dead_letters()")).toEqual([{ topic }]);
  });

  it.each(["complete", "cancel"])(
    "lets a run end by %s, though a workflow that subscribes to it can't start",
    async (ending) => {
      const own = await createDatabase();
      const name = await publishedDefinition(own, documentOf(newDefinitionName()));
      const ids = [
        await subscribe(own, "oxbow.run.#", { workflow: name }, { options: { version: 7 } }),
        await subscribe(own, "oxbow.run.#", { workflow: "refused" }),
      ];
      // As an option that a release accepted and a later one refuses.
      await own.query(
        `update queue.subscription set options = '{"retention_days": -1}' where subscription_id = $1`,
        [ids[1]],
      );
      await subscribe(own, "oxbow.run.#", { workflow: "after" });

      const runs = new Runs(own, "paying");
      const runId = await runs.start();
      if (ending === "cancel") {
        await own.query("select queue.workflow_cancel($1)", [runId]);
      } else {
        await runs.commit([
          { delivery: await runs.receiveOne(), transition: "complete", result: "paid" },
        ]);
      }
      expect(
        await own.query("select workflow_name, status from queue.workflow_run order by run_id"),
      ).toEqual([
        {
          workflow_name: "paying",
          status: ending === "cancel" ? "cancelled" : "completed",
        },
        { workflow_name: "after", status: "running" },
      ]);
      expect(
        await own.query(
          "select subscription_id, reason from queue.topic_dead_letters() order by subscription_id",
        ),
      ).toEqual([
        { subscription_id: ids[0], reason: `definition "${name}" has no version 7` },
        {
          subscription_id: ids[1],
          reason: expect.stringContaining("invalid retention of -1 days") as string,
        },
      ]);
    },
  );

  it("goes to a pattern with a wildcard after its first word, without another one", async () => {
    const own = await createDatabase();
    const some = await newQueue(own);
    await subscribe(own, "oxbow.#", { queue: some });
    const runs = new Runs(own, "alone");
    await runs.start();
    await runs.commit([{ delivery: await runs.receiveOne(), transition: "complete", result: 1 }]);
    expect(await own.query("select message from queue.receive($1)", [some])).toHaveLength(1);
  });
});
