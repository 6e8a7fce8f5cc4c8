/** Every page is accessible, safe, and fit for a phone. */
import axe from "axe-core";
import { beforeAll, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import type { Tab } from "../helpers/tab.ts";
import { subscribe } from "../helpers/topics.ts";
import { askHostile, serveAsking } from "./approvals.spec.ts";
import { refunds, said } from "./agents.ts";
import { MARKUP } from "./workflows.ts";
import { openTab, world } from "./world.ts";

let addresses: readonly string[] = [];

/** Runs with markup in each text that users control, and the pages that show them. */
async function setupHostile(): Promise<void> {
  const { client, database } = world().bench;
  const options = { tags: { [MARKUP]: MARKUP }, idempotencyKey: MARKUP };
  const waiting = await client.start("hostile", { fail: false, [MARKUP]: MARKUP }, options);
  const failed = await client.start("hostile", { fail: true });
  await failed.result().catch(() => {});
  const paused = await client.start("nosuch", undefined);
  await paused.pause(MARKUP);
  await database.query("select queue.create_queue('hostile')");
  await database.query("select queue.send('hostile', $1::jsonb, headers => $1::jsonb)", [
    JSON.stringify({ [MARKUP]: MARKUP }),
  ]);
  const id = await subscribe(database, "hostile.#", { http: "https://example.org/?q=<b>" });
  await database.query("select queue.delivery_failed($1, $2, '0')", [id, MARKUP]);
  await subscribe(database, "undeliverable.#", { http: "https://example.org/gone" });
  await database.query("select queue.send_topic('undeliverable.a', $1::jsonb)", [
    JSON.stringify({ [MARKUP]: MARKUP }),
  ]);
  await database.query(
    "select queue.delivery_abandon(receipt, $1, $2) from queue.deliveries_receive(10)",
    [MARKUP, JSON.stringify({ status_code: 500, response: MARKUP })],
  );
  const [undelivered] = await database.query("select delivery_id from queue.deliveries_list()");
  await client.schedules.create({
    name: MARKUP,
    workflow: "hostile",
    cron: "0 3 * * *",
    input: { [MARKUP]: MARKUP },
  });
  const { endpointId } = await client.endpoints.add("https://example.org/?q=<b>");
  await database.query("select queue.endpoint_failed($1, $2)", [endpointId, MARKUP]);
  await definitionsOf(client).create({
    format: 1,
    name: "hostile-definition",
    title: MARKUP,
    triggers: { hostile: { on: "hostile.event", when: `event.text == '<b>bold</b>'` } },
    nodes: { markup: { type: "set@1", title: MARKUP, params: { [MARKUP]: MARKUP } } },
    settings: { pool: "asking" },
  });
  const eventId = await publishHostileEvent();
  await client.schedules.pause(MARKUP, { reason: MARKUP });
  const { id: approvalId } = await askHostile();
  const agent = refunds("hostile-agent");
  world().bench.serve([agent]);
  const { runId: agentRunId } = await client.start(agent, { messages: [said("user", MARKUP)] });
  addresses = [
    "",
    "#/runs",
    "#/runs?workflow=hostile",
    `#/runs?tags=${encodeURIComponent(MARKUP)}`,
    `#/runs/${waiting.runId}`,
    `#/runs/${failed.runId}`,
    `#/runs/${paused.runId}`,
    `#/runs/${agentRunId}`,
    "#/queues",
    "#/queues/hostile",
    "#/deliveries",
    `#/deliveries?delivery=${String(undelivered?.["delivery_id"])}`,
    "#/dead-letters",
    "#/topics",
    "#/schedules",
    "#/endpoints",
    "#/audit",
    "#/fork",
    "#/definitions",
    "#/definitions/hostile-definition",
    "#/definitions/hostile-definition/events",
    `#/definitions/hostile-definition/events?event=${eventId}`,
    "#/catalog?resource=Hostile&id=%3Cb%3Ebold%3C%2Fb%3E",
    "#/approvals",
    `#/approvals/${approvalId}`,
    "#/nonsense",
  ];
}

/** An event with markup that a trigger has refused; returns its id. */
async function publishHostileEvent(): Promise<string> {
  const { topics } = world().bench.client;
  const definitions = definitionsOf(world().bench.client);
  await definitions.publish("hostile-definition", 1, { unchecked: true });
  await definitions.pause("hostile-definition", { reason: MARKUP });
  await topics.publish("hostile.event", { text: MARKUP });
  const [event] = await eventually(
    () => definitions.events({ definition: "hostile-definition" }),
    isNotEmpty,
  );
  return event?.eventId ?? "";
}

/** Rules of axe whose outcome depends on the theme. */
const RULES_OF_COLORS = ["color-contrast", "link-in-text-block"];

/** The findings of axe, by all of its rules or by the given ones. */
async function violationsOf({ page }: Tab, rules?: readonly string[]): Promise<unknown[]> {
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as axe.Result[];
  return found.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  }));
}

/** Changes only the hash: another load would lose axe. */
const moveTo = ({ page }: Tab, address: string): Promise<void> =>
  page.evaluate(
    (hash) => {
      (globalThis as unknown as { location: { hash: string } }).location.hash = hash;
    },
    address.replace("#", ""),
  );

const inTheme = ({ page }: Tab, theme: "light" | "dark"): Promise<void> =>
  page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);

const overhangOf = ({ page }: Tab): Promise<number> =>
  page.$eval("html", (html) => {
    const { scrollWidth, clientWidth } = html as unknown as Record<string, number>;
    return (scrollWidth ?? 0) - (clientWidth ?? 0);
  });

export function describeEveryPage(): void {
  serveAsking();
  beforeAll(setupHostile);

  it("shows markup of users as text, fits a phone, and has no violation that axe finds in either theme", async () => {
    const tab = await openTab("");
    await tab.settled();
    await tab.page.evaluate(axe.source);
    for (const address of addresses) {
      await tab.page.setViewport({ width: 360, height: 720 });
      await moveTo(tab, address);
      await tab.settled();
      const markup = await tab.count("main b, main img");
      // Nothing but tables is wider than the screen.
      const overhang = await overhangOf(tab);
      await tab.page.setViewport({ width: 1_280, height: 800 });
      await inTheme(tab, "light");
      const light = await violationsOf(tab);
      await inTheme(tab, "dark");
      const dark = await violationsOf(tab, RULES_OF_COLORS);
      expect({ address, markup, overhang, light, dark }).toEqual({
        address,
        markup: 0,
        overhang: 0,
        light: [],
        dark: [],
      });
    }
    expect(await tab.page.evaluate("globalThis.hacked")).toBeUndefined();
  });
}
