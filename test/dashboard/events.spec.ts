/** Triggers and their events, the catalog, and resources. */
import { createDefinitions, defineResource } from "@oxbow/declared";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { textMessage } from "./text-message.ts";
import { openTab, world } from "./world.ts";

const NAME = "page-by-event";

function serve(pool: string, options: Parameters<typeof createDefinitions>[0] = {}): void {
  const worker = createDefinitions({ pool, ...options }).serve({
    url: world().bench.url,
    logger: false,
  });
  onTestFinished(() => worker.stop());
}

async function publishListening(): Promise<void> {
  const definitions = definitionsOf(world().bench.client);
  const revision = await definitions.create({
    format: 1,
    name: NAME,
    triggers: {
      changed: {
        on: "dashboard.incident",
        when: "event.rank >= 3 && event.service == 'web'",
        once_for: ["event.id"],
      },
    },
    nodes: { done: { type: "end@1", params: { output: { $path: "input" } } } },
    settings: { pool: "events" },
  });
  await definitions.publish(NAME, revision, { unchecked: true });
}

export function describeEvents(): void {
  it("show why they started a run or didn't, and are paused and resumed", async () => {
    const { topics } = world().bench.client;
    const definitions = definitionsOf(world().bench.client);
    serve("events");
    await publishListening();
    const publish = (message: object): Promise<unknown> =>
      topics.publish("dashboard.incident", message);
    await publish({ id: "A", rank: 1, service: "web" });
    await publish({ id: "B", rank: 4, service: "web" });
    await publish({ id: "B", rank: 5, service: "web" });
    const evaluated = (count: number): Promise<unknown> =>
      eventually(
        () => definitions.events({ definition: NAME }),
        (found) => found.length >= count && found.every(({ state }) => state === "evaluated"),
      );
    await evaluated(3);

    const tab = await openTab("#/definitions");
    await tab.shows(new RegExp(NAME));
    await tab.goTo(`#/definitions/${NAME}/events`);
    await tab.shows(/changed\s+dashboard\.incident\s+event\.rank >= 3[^]*event\.id/);
    await tab.shows(/once\s+changed[^]*started\s+changed\s+run \d+[^]*started no run/);
    const why = (row: number): Promise<void> =>
      tab.page
        .locator(`.card[aria-label=Events] tbody tr:nth-child(${row}) td:last-child a`)
        .click();
    await why(3);
    await tab.shows(/Why didn’t it run\?[^]*guard[^]*event\.rank >= 3\s+is false/, ".dialog");
    await tab.shows(/event\.rank is 1[^]*event\.service == 'web'\s+holds/, ".dialog");
    expect(tab.page.url()).toMatch(/events\?event=\d+$/);
    await tab.page.keyboard.press("Escape");
    await tab.page.waitForSelector(".dialog", { hidden: true });
    await why(1);
    await tab.shows(/once[^]*Once for \["B"\]/, ".dialog");
    await tab.press("Let it run again");
    await tab.shows(/The next event with \["B"\] starts a run/, ".notes");
    // The window is rendered again with the answer, so a press may meet what is replaced.
    await eventually(async () => {
      await tab.page.keyboard.press("Escape");
      return tab.count(".dialog");
    }, 0);

    // A pause, which the page shows with its reason, and which events record.
    await tab.page.locator(`::-p-aria([name="Pause ${NAME}"])`).click();
    await tab.fill("Reason", "rota changes");
    await tab.press("Pause the starts");
    await tab.shows(/paused[^]*Paused: rota changes/);
    await publish({ id: "C", rank: 9, service: "web" });
    await evaluated(4);
    await tab.shows(/paused\s+changed/, ".card[aria-label=Events]");
    await tab.page.locator(`::-p-aria([name="Resume ${NAME}"])`).click();
    await tab.shows(/^Events of page-by-event\s+published/);

    await tab.fill("Topic", "dashboard.other");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/No event reached the triggers/);
  });

  it("of webhooks have an address and a secret, for those who may publish", async () => {
    const definitions = definitionsOf(world().bench.client);
    const revision = await definitions.create({
      format: 1,
      name: "hooked",
      triggers: {
        nightly: { on: "schedule", cron: "0 3 * * *", time_zone: "Europe/Oslo" },
        pushed: { on: "webhook", verify: "github" },
      },
      nodes: { done: { type: "end@1" } },
      settings: { pool: "nowhere" },
    });
    await definitions.publish("hooked", revision, { unchecked: true });
    const tab = await openTab("#/definitions/hooked/events");
    await tab.shows(/nightly\s+schedule 0 3 \* \* \* Europe\/Oslo/);
    const hooks = '.card[aria-label="Webhooks"]';
    const text = await tab.shows(/pushed[^]*GitHub’s signature/, hooks);
    const [address = ""] = /http\S+/.exec(text) ?? [];
    // A delivery that isn't signed is refused there, which shows that the address is one.
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([401, 409]).toContain(answer.status);
    const reader = await openTab("#/definitions/hooked/events", { token: "reader" });
    await reader.shows(/nightly/);
    expect(await reader.count(hooks)).toBe(0);
  });

  it("leave out what a token may not do", async () => {
    const definitions = definitionsOf(world().bench.client);
    await eventually(
      () => definitions.get(NAME),
      (found) => found !== undefined,
    );
    const tab = await openTab(`#/definitions/${NAME}/events`, { token: "reader" });
    await tab.shows(/Why\?/);
    expect(await tab.count("main .title button")).toBe(0);
  });
}

export function describeCatalog(): void {
  it("shows node types of workers, types of resources, and what names a resource", async () => {
    const definitions = definitionsOf(world().bench.client);
    const { catalog, resources } = definitions;
    const severity = defineResource({
      type: "Severity",
      title: "Severities",
      schema: { type: "object", properties: { rank: { type: "number" } } },
      get: () => Promise.resolve({}),
    });
    serve("catalogued", {
      nodes: [textMessage],
      resources: [severity],
      secrets: { get: () => "a-key-of-the-carrier" },
    });
    await definitions.create({
      format: 1,
      name: "names-severity",
      title: "Names a severity",
      nodes: {
        one: {
          type: "set@1",
          params: { severity: { $resource: { type: "Severity", id: "01FD7" } } },
        },
      },
    });
    await eventually(() => catalog.nodeTypes({ pool: "catalogued" }), isNotEmpty);
    await eventually(
      () => resources.types(),
      (found) => found.some(({ name }) => name === "Severity"),
    );
    const tab = await openTab("#/catalog?pool=catalogued");
    await tab.fill("Node type", "phone");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/phone\.text@1\s+Send a text message\s+Phone\s+write/);
    await eventually(() => tab.count('[aria-label="Node types"] tbody tr'), 1);
    await tab.press("phone.text@1");
    await tab.shows(/Sends a text message[^]*Descriptor/, ".dialog");
    await tab.press("Close");
    await tab.shows(/Severity\s+Severities\s+catalogued[^]*not protected/);
    await tab.fill("Type of the resource", "Severity");
    await tab.fill("Its id", "01FD7");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/names-severity Names a severity[^]*draft\s+\/nodes\/one\/params\/severity/);
    await tab.press("names-severity");
    await tab.page.waitForSelector('.react-flow__node[data-id="one"]');
  });
}
