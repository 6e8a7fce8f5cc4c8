/** The documents of docs/declared/patterns.md: each is checked, published, and executed to the end that its pattern has. */
import { readFileSync } from "node:fs";
import { createDefinitions, defineNode } from "@oxbow/declared";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { createDatabase } from "../helpers/database.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";

const PAGE = readFileSync(new URL("../../docs/declared/patterns.md", import.meta.url), "utf8");

interface Pattern {
  readonly number: number;
  readonly title: string;
  readonly document: object;
}

const patterns: readonly Pattern[] = [
  ...PAGE.matchAll(/^### (\d+)\. (.+?)\n[^#]*?```json\n(.*?)\n```/gms),
].map(([, number, title = "", text = ""]) => ({
  number: Number(number),
  title,
  document: JSON.parse(text) as object,
}));

interface Expected {
  readonly input?: (name: string) => unknown;
  /** Sent when the run waits for something. */
  readonly signals?: readonly string[];
  /** Sent before the run begins. */
  readonly before?: readonly string[];
  /** States by node; those of iterations by path. */
  readonly states: Readonly<Record<string, string>>;
  /** Ids in the order of their calls. */
  readonly order?: readonly string[];
  /** The maximum of concurrent calls. */
  readonly most?: number;
  readonly output?: unknown;
}

const ok = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id) => [id, "succeeded"]));
const skipped = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id) => [id, "skipped"]));
const abandoned = (...ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(ids.map((id) => [id, "abandoned"]));
const channels = (): object => ({ channels: ["mail", "call"] });
const items = (): object => ({ items: [1, 2] });

const EXPECTED: Readonly<Record<number, Expected>> = {
  1: { states: ok("a", "b"), order: ["a", "b"] },
  2: { states: ok("a", "b", "c"), most: 2 },
  3: { states: ok("a", "b", "both") },
  4: { input: () => ({ amount: 1 }), states: { ...ok("go", "book"), ...skipped("review") } },
  5: {
    input: () => ({ amount: 1000 }),
    states: { ...ok("go", "review", "file"), ...skipped("book") },
    order: ["review", "file"],
  },
  6: { input: channels, states: { ...ok("go", "mail", "call"), ...skipped("text") } },
  7: { input: channels, states: { ...ok("go", "mail", "call", "log"), ...skipped("text") } },
  9: { signals: ["slow"], states: ok("fast", "slow", "first"), order: ["fast", "first"] },
  11: { states: ok("a", "b") },
  12: { input: items, states: ok("each", "each.0.start", "each.1.start", "next") },
  13: { states: ok("each", "each.0.do", "each.1.do", "each.2.do", "next") },
  14: { input: items, states: ok("each", "each.0.do", "each.1.do", "next") },
  16: { signals: ["pay"], states: { ...ok("pay", "decided"), ...abandoned("cancel") } },
  17: { states: ok("a", "b", "c", "d"), most: 1 },
  19: { signals: ["stop"], states: { ...ok("stop", "after"), ...abandoned("work") } },
  20: { states: { ...ok("check", "stop"), ...abandoned("long") }, output: "stopped" },
  21: {
    states: ok("poll", "poll.0.ask", "poll.1.ask", "poll.2.ask", "next"),
    order: ["ask", "ask", "ask", "next"],
  },
  22: {
    input: (self) => ({ self, depth: 3 }),
    states: { ...ok("go", "down", "up"), ...skipped("bottom") },
    output: 3,
  },
  24: { before: ["kept", "first"], states: ok("before", "later", "next") },
  25: { signals: ["stop"], states: { ...ok("a", "stop", "after"), ...abandoned("b") } },
  29: { states: { ...ok("fast", "first"), ...abandoned("slow") } },
  30: { signals: ["slow"], states: ok("a", "b", "slow", "two") },
  32: { states: { ...ok("a", "b", "two"), ...abandoned("slow") } },
  37: {
    input: () => ({ left: true, right: true, more: false }),
    states: { ...ok("go", "left", "again", "merge"), ...skipped("more") },
    order: ["left", "merge"],
  },
  40: { states: ok("a", "b", "c"), most: 1 },
  43: { states: { ...ok("a", "done"), ...abandoned("side") }, output: "done" },
};

/** Ids of each run in the order of their calls, and how many were under way concurrently. */
const calls = new Map<string, string[]>();
const busy = new Map<string, { now: number; most: number }>();

const database = await createDatabase();
const noted = async (key: string): Promise<string[]> => {
  const [run = "", path = ""] = key.split(":");
  const own = calls.get(run) ?? [];
  calls.set(run, own);
  own.push(path.slice(path.lastIndexOf(".") + 1));
  const at = busy.get(run) ?? { now: 0, most: 0 };
  busy.set(run, at);
  at.now += 1;
  at.most = Math.max(at.most, at.now);
  // Lets every other call that may begin now do so.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  at.now -= 1;
  return own;
};
const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: async ({ idempotencyKey }) => {
    await noted(idempotencyKey);
    return null;
  },
});
const count = defineNode({
  type: "count",
  params: { type: "object" },
  output: { type: "integer" },
  run: async ({ idempotencyKey }) => {
    const own = await noted(idempotencyKey);
    return own.filter((id) => id === "ask").length;
  },
});
const nodes = createDefinitions({ nodes: [task, count] });
const worker = nodes.serve({ url: database.url, logger: false });
const child = workflow({ name: "pattern-child", run: () => Promise.resolve(null) }).serve({
  url: database.url,
  logger: false,
});
const client = createCheckedClient({ url: database.url, tools: nodes.tools });
atFileEnd(async () => {
  await Promise.all([worker.stop(), child.stop()]);
  await client.close();
});

it("has a document and an expectation for each pattern that the page claims", () => {
  const numbers = patterns.map(({ number }) => number);
  expect(numbers).toEqual(Object.keys(EXPECTED).map(Number));
  const claimed = [...PAGE.matchAll(/^### (\d+)\./gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(claimed);
});

it("names every pattern of the catalogue once", () => {
  const table = PAGE.slice(PAGE.indexOf("## Not supported"));
  const others = [...table.matchAll(/^\| ([\d–, ]+)\. /gm)].flatMap(([, text = ""]) =>
    text.split(", ").flatMap((part) => {
      const [from = 0, to = from] = part.split("–").map(Number);
      return Array.from({ length: to - from + 1 }, (_, at) => from + at);
    }),
  );
  const all = [...patterns.map(({ number }) => number), ...others].toSorted((a, b) => a - b);
  expect(all).toEqual(Array.from({ length: 43 }, (_, at) => at + 1));
});

it.each(patterns.map((pattern) => [`${pattern.number}. ${pattern.title}`, pattern] as const))(
  "%s",
  async (_title, { number, document }) => {
    const {
      input,
      signals = [],
      before = [],
      states,
      order,
      most,
      output,
    } = EXPECTED[number] ?? NONE;
    const name = newDefinitionName();
    const definitions = definitionsOf(client);
    const whole = { format: 1, name, ...document };
    const problems = await definitions.validate(whole);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    await definitions.publish(name, await definitions.create(whole));
    const run = await definitions.start(name, input?.(name) ?? {});
    for (const event of before) await client.signal(run.runId, event, {});
    if (signals.length > 0) {
      await eventually(async () => (await client.runs.find(run.runId)).activity, "waiting");
    }
    for (const event of signals) await client.signal(run.runId, event, {});
    const result = await run.result({ timeout: "60s" });
    expect(result).toEqual(output ?? null);
    const found: Record<string, string> = {};
    for await (const event of definitions.followProgress(run.runId)) {
      if (event.type === "changes") Object.assign(found, event.nodes);
    }
    expect(found).toEqual(states);
    expect(order ?? calls.get(run.runId) ?? []).toEqual(calls.get(run.runId) ?? []);
    expect(most ?? busy.get(run.runId)?.most).toBe(busy.get(run.runId)?.most);
  },
);

const NONE: Expected = { states: {} };
