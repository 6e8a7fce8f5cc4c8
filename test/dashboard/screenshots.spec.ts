/** The pictures of the documentation: `OXBOW_SCREENSHOTS=1 npx vitest run test/dashboard -t pictures` makes them again. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { it } from "vitest";
import type { Tab } from "../helpers/tab.ts";
import { openTab, world } from "./world.ts";

const FOLDER = fileURLToPath(new URL("../../docs/operate/dashboard", import.meta.url));
const SIZE = { width: 1_280, height: 800 };

/** A definition with a step of each kind that readers ask for. */
const ESCALATION = {
  format: 1,
  name: "page-on-major",
  title: "Page for major incidents",
  input: {
    type: "object",
    required: ["incident"],
    properties: {
      incident: {
        type: "object",
        required: ["name", "rank"],
        properties: { name: { type: "string" }, rank: { type: "integer" } },
      },
    },
  },
  nodes: {
    major: {
      type: "branch@1",
      title: "Is it major?",
      params: { cases: [{ id: "yes", when: "input.incident.rank >= 3" }] },
    },
    page: {
      type: "http.request@1",
      title: "Page on call",
      retry: { attempts: 10 },
      params: {
        method: "POST",
        url: "https://pager.example.com/pages",
        body: { title: { $path: "input.incident.name" } },
      },
    },
    answer: {
      type: "wait@1",
      title: "Wait for an answer",
      params: { event: "answered", timeout: "10m" },
    },
    again: {
      type: "queue.send@1",
      title: "Tell the manager",
      params: { queue: "managers", message: { $text: "Unanswered: {{ input.incident.name }}" } },
    },
    noted: { type: "set@1", title: "Note it", params: { value: { $path: "input.incident" } } },
  },
  edges: [
    { from: "major", on: "yes", to: "page" },
    { from: "major", on: "else", to: "noted" },
    { from: "page", to: "answer" },
    { from: "answer", on: "timeout", to: "again" },
  ],
};

/** Waits for the canvas, and opens the form of a step. */
async function showStep({ page }: Tab): Promise<void> {
  const step = '.react-flow__node[data-id="page"]';
  await page.waitForSelector(step);
  await page.click(step);
  await page.waitForSelector("[data-pointer='/nodes/page/params/url']");
}

export function describeScreenshots(): void {
  it("are made of each page", async () => {
    const { client, database } = world().bench;
    for (let n = 1; n <= 12; n += 1) {
      const tags = { customer: 100 + n };
      const run = await client.start("order", { order: n }, { tags });
      if (n % 3 > 0) await client.signal(run.runId, "shipped", {});
      if (n % 5 === 0) await client.start("flaky", { key: `pictured ${n}` }, { tags });
    }
    const waiting = await client.start("order", { order: 42 }, { tags: { customer: 142 } });
    await client.schedules.create({ name: "nightly", workflow: "order", cron: "0 3 * * *" });
    await database.query(
      `select queue.create_queue('pictured'), queue.send('pictured', '{"to": "ada@example.com"}')`,
    );
    const { definitions } = client;
    for (const document of [
      ESCALATION,
      { ...ESCALATION, name: "remind-owner", title: "Remind the owner" },
    ]) {
      const revision = await definitions.create(document, { folder: "incidents" });
      await definitions.publish(document.name, revision);
    }
    await definitions.pause("remind-owner", { reason: "The on-call rota changes." });
    mkdirSync(FOLDER, { recursive: true });
    const tab = await openTab("");
    await tab.page.setViewport(SIZE);
    const pages: readonly (readonly [string, string])[] = [
      ["overview", ""],
      ["runs", "#/runs?workflow=order"],
      ["run", `#/runs/${waiting.runId}`],
      ["queue", "#/queues/pictured"],
      ["topics", "#/topics"],
      ["schedules", "#/schedules"],
      ["definitions", "#/definitions"],
      ["definition", "#/definitions/page-on-major"],
      ["audit", "#/audit"],
      ["fork", "#/fork"],
    ];
    for (const [name, address] of pages) {
      await tab.goTo(address);
      await tab.settled();
      if (name === "definition") await showStep(tab);
      await tab.page.screenshot({ path: `${FOLDER}/${name}.webp`, type: "webp", quality: 80 });
    }
  });
}
