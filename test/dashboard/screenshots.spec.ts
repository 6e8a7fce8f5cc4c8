/** The pictures of the documentation: `OXBOW_SCREENSHOTS=1 npx vitest run test/dashboard -t pictures` makes them again. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createDefinitions } from "@oxbow/declared";
import { it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually } from "../helpers/eventually.ts";
import type { Tab } from "../helpers/tab.ts";
import { subscribe } from "../helpers/topics.ts";
import { said, supports } from "./agents.ts";
import { askPeople, serveAsking } from "./approvals.spec.ts";
import { openTab, world } from "./world.ts";

const FOLDER = fileURLToPath(new URL("../../docs/operate/dashboard", import.meta.url));
const SIZE = { width: 1_280, height: 800 };

/** A definition with a step of each kind that readers ask for. */
const ESCALATION = {
  format: 1,
  name: "page-on-major",
  title: "Page for major incidents",
  triggers: {
    changed: {
      on: "incident.updated",
      when: "event.rank >= 3 && event.name != ''",
      once_for: ["event.id"],
      input: { incident: { $path: "event" } },
    },
  },
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
  await page.locator(step).click();
  await page.waitForSelector("[data-pointer='/nodes/page/params/url']");
}

/** Opens the test of a draft, with the result of a step. */
async function showTest(tab: Tab): Promise<void> {
  await showStep(tab);
  await tab.press("Test");
  const input = '{ "incident": { "name": "Checkout is slow", "rank": 4 } }';
  await tab.page.locator(".oxe-test textarea").fill(input);
  // Otherwise the test waits for the event.
  await tab.page.locator('.react-flow__node[data-id="answer"]').click();
  await tab.select(".oxe-pin select", "output");
  await tab.select('select[aria-label="By"]', "timeout");
  await tab.press("Pin");
  await tab.page.locator('.react-flow__node[data-id="page"]').click();
  await tab.press("Run the draft");
  await tab.shows(/The test is completed/, ".oxe-test header");
}

/** Publishes events, of which one starts a run; returns the id of one that doesn't. */
async function publishEvents(): Promise<string> {
  const { topics } = world().bench.client;
  const definitions = definitionsOf(world().bench.client);
  for (const [id, rank] of [
    ["INC-1", 1],
    ["INC-2", 4],
    ["INC-2", 5],
    ["INC-3", 2],
  ] as const) {
    await topics.publish("incident.updated", { id, rank, name: "Checkout is slow" });
  }
  const events = await eventually(
    () => definitions.events({ definition: ESCALATION.name }),
    (found) => found.length === 4 && found.every(({ state }) => state === "evaluated"),
  );
  return events[0]?.eventId ?? "";
}

/** Publishes messages to a url: one is delivered, one has failed for good, and one waits; returns the id of that one. */
async function publishDeliveries(): Promise<string> {
  const { database } = world().bench;
  const id = await subscribe(database, "order.*", { http: "https://shop.example.com/orders" });
  const again = (call: string, report: object): Promise<unknown> =>
    database.query(`select ${call} from queue.deliveries_receive(10) where subscription_id = $2`, [
      JSON.stringify({ duration_ms: 84, ...report }),
      id,
    ]);
  const settle = async (call: string, report: object): Promise<void> => {
    await database.query(`select queue.send_topic('order.paid', '{"order": 42}')`);
    await again(call, report);
  };
  await settle(
    "queue.deliveries_succeeded(array[subscription_id], array[receipt], array[$1::jsonb])",
    {
      status_code: 202,
      response: "accepted",
    },
  );
  await settle("queue.delivery_abandon(receipt, 'status 410', $1)", { status_code: 410 });
  const failing = { status_code: 503, response: "upstream connect error" };
  await settle("queue.delivery_retry(receipt, 0, 'status 503', $1)", failing);
  await again("queue.delivery_retry(receipt, 300, 'status 503', $1)", failing);
  const [waiting] = await database.query<{ id: string }>(
    "select delivery_id as id from queue.deliveries_list(status => 'waiting', subscription_id => $1)",
    [id],
  );
  return waiting?.id ?? "";
}

/** Fills a queue as it was in the last six hours: it grew, and was caught up with. */
async function fillQueue(): Promise<void> {
  const { database } = world().bench;
  await database.query(
    `select queue.create_queue('pictured'), queue.send('pictured', '{"to": "ada@example.com"}')
     from generate_series(1, 24)`,
  );
  await database.query(
    `insert into queue.queue_depth (sampled_at, visible, in_flight, delayed, oldest_at, is_estimate, queue_name)
     select at, 24 + round(900 * height), 8, 3, at - make_interval(secs => 20 + 1500 * height), false, 'pictured'
     from (
       select clock_timestamp() - make_interval(mins => ago) as at,
         greatest(0, sin((400 - ago) / 42.0))::numeric as height
       from generate_series(0, 360) as minutes (ago)
     ) as past`,
  );
}

async function addEndpoints(): Promise<void> {
  const { client, database } = world().bench;
  for (const [host, versions] of [
    ["shop-git-4f2a", [1]],
    ["shop-git-b81c", [1, 2]],
  ] as const) {
    const { endpointId } = await client.endpoints.add(`https://${host}.example.app/api/oxbow`);
    await database.query("select queue.endpoint_checked($1, $2, 60000, '0.3.0')", [
      endpointId,
      JSON.stringify({ order: versions, flaky: [1] }),
    ]);
  }
  const { endpointId } = await client.endpoints.add("https://shop.example.com/login");
  await database.query("select queue.endpoint_failed($1, $2)", [
    endpointId,
    "It answered HTML: <!doctype html><title>Sign in</title>. Mount the handler at this path.",
  ]);
}

export function describeScreenshots(): void {
  serveAsking();

  it("are made of each page", async () => {
    const { client } = world().bench;
    for (let n = 1; n <= 12; n += 1) {
      const tags = { customer: 100 + n };
      const run = await client.start("order", { order: n }, { tags });
      if (n % 3 > 0) await client.signal(run.runId, "shipped", {});
      if (n % 5 === 0) await client.start("flaky", { key: `pictured ${n}` }, { tags });
    }
    const waiting = await client.start("order", { order: 42 }, { tags: { customer: 142 } });
    await client.schedules.create({ name: "nightly", workflow: "order", cron: "0 3 * * *" });
    await fillQueue();
    await addEndpoints();
    const deliveryId = await publishDeliveries();
    const definitions = definitionsOf(client);
    for (const document of [
      ESCALATION,
      { ...ESCALATION, name: "remind-owner", title: "Remind the owner" },
    ]) {
      const revision = await definitions.create(document, { folder: "incidents" });
      await definitions.publish(document.name, revision, { unchecked: true });
    }
    await definitions.pause("remind-owner", { reason: "The on-call rota changes." });
    const worker = createDefinitions().serve({ url: world().bench.url, logger: false });
    onTestFinished(() => worker.stop());
    const eventId = await publishEvents();
    await askPeople("Refund 900 EUR to Ada?", {
      description: "Order 1007 was paid twice.",
      approvers: ["risk", "ada@example.com"],
      quorum: 2,
    });
    await askPeople("Ship release 4.2 to production?", {
      form: {
        type: "object",
        required: ["window"],
        order: ["window", "note"],
        properties: {
          window: { enum: ["tonight", "tomorrow"], title: "Window", default: "tonight" },
          note: { type: "string", title: "Note", widget: "textarea" },
        },
      },
    });
    const agent = supports("support");
    world().bench.serve([agent]);
    const question = said("user", "Order 7 arrived broken. I want my money back.");
    const { runId: agentRunId } = await client.start(agent, { messages: [question] });
    mkdirSync(FOLDER, { recursive: true });
    const tab = await openTab("");
    await tab.page.setViewport(SIZE);
    const definition = "#/definitions/page-on-major";
    const pages: readonly (readonly [name: string, address: string, title: RegExp])[] = [
      ["overview", "", /^Overview/],
      ["runs", "#/runs?workflow=order", /^Runs of order/],
      ["run", `#/runs/${waiting.runId}`, /^order \d/],
      ["conversation", `#/runs/${agentRunId}`, /Waits for approval/],
      ["queue", "#/queues/pictured?hours=6", /^Queue pictured/],
      ["topics", "#/topics", /^Topics/],
      ["schedules", "#/schedules", /^Schedules/],
      ["endpoints", "#/endpoints", /^Endpoints/],
      ["definitions", "#/definitions", /^Definitions/],
      ["definition", definition, /^page-on-major/],
      ["events", `${definition}/events`, /^Events of/],
      ["explain", `${definition}/events?event=${eventId}`, /^Events of/],
      ["test", definition, /^page-on-major/],
      ["approvals", "#/approvals", /^Approvals/],
      ["catalog", "#/catalog", /^Catalog/],
      ["approve", "#/approvals", /^Approvals/],
      ["deliveries", "#/deliveries", /^Deliveries/],
      ["delivery", `#/deliveries?delivery=${deliveryId}`, /^Deliveries/],
      ["dead-letters", "#/dead-letters", /^Dead letters/],
      ["audit", "#/audit", /^Audit/],
      ["fork", "#/fork", /^Fork/],
    ];
    for (const [name, address, title] of pages) {
      await tab.goTo(address);
      await tab.shows(title);
      await tab.settled();
      if (name === "queue") await tab.page.waitForSelector(".depths canvas");
      if (name === "definition") await showStep(tab);
      if (name === "test") await showTest(tab);
      if (name === "explain") await tab.shows(/is false/, ".dialog");
      if (name === "delivery") await tab.shows(/upstream connect error/, ".dialog");
      if (name === "approve") {
        await tab.page.locator('button[aria-label^="Approve Ship"]').click();
        await tab.page.waitForSelector(".dialog textarea");
      }
      await tab.page.screenshot({ path: `${FOLDER}/${name}.webp`, type: "webp", quality: 80 });
    }
  });
}
