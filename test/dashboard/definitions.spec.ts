/** Definitions and their editor, over the REST API. */
import { isDeepStrictEqual } from "node:util";
import {
  createDefinitions,
  defineNode,
  defineResource,
  defineTrigger,
  takeHandle,
} from "@oxbow/declared";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { openTab, world } from "./world.ts";

export function describeDefinitions(): void {
  it("are created, built, published and listed", async () => {
    const tab = await openTab("#/definitions");
    await tab.page.setViewport({ width: 1_280, height: 800 });
    await tab.press("Create a definition");
    await tab.fill("Name", "built-here");
    await tab.fill("Title", "Built here");
    await tab.press("Create");
    await tab.page.waitForSelector(".oxe-toolbar");
    await tab.page.locator('::-p-aria([name="Delay"][role="button"])').click();
    await tab.fill("For", "5m");
    await tab.shows(/^Saved$/, ".oxe-saving");
    await tab.press("Publish…");
    await tab.press("Publish");
    await tab.shows(/Version 1 is published/, ".oxe-notices");
    const { client } = world().bench;
    const { document } = (await definitionsOf(client).version("built-here")) ?? {};
    expect(document).toMatchObject({ nodes: { delay: { params: { for: "5m" } } } });
    await tab.goTo("#/definitions");
    await tab.shows(/built-here\s+Built here\s+published\s+1/);
    await tab.page.locator('::-p-aria([name="Pause built-here"])').click();
    await tab.fill("Reason", "holidays");
    await tab.press("Pause the starts");
    await tab.shows(/built-here\s+Built here\s+paused\s+holidays/);
    await tab.page.locator('::-p-aria([name="Resume built-here"])').click();
    await tab.shows(/built-here\s+Built here\s+published/);
  });

  it("show before publishing which runs stay on their version", async () => {
    const { client } = world().bench;
    const document = (title: string) => ({
      format: 1 as const,
      name: "stays",
      title,
      nodes: { wait: { type: "wait@1", params: { event: "never" } } },
      settings: { pool: "nowhere" },
    });
    const definitions = definitionsOf(client);
    await definitions.publish("stays", await definitions.create(document("One")), {
      unchecked: true,
    });
    await definitions.start("stays", {});
    await definitions.start("stays", {});
    const found = await definitions.get("stays");
    const second = await definitions.save(document("Two"), found?.revision ?? 0);
    await definitions.publish("stays", second, { unchecked: true });
    await definitions.start("stays", {});
    const tab = await openTab("#/definitions/stays");
    await tab.press("Publish…");
    await tab.shows(/1 run stays on version 2\.[^]*2 runs stay on version 1\./, ".oxe-dialog");
  });

  it("are merged where two tabs change one, and compared with what is published", async () => {
    const definitions = definitionsOf(world().bench.client);
    const nodes = { one: { type: "set@1" }, two: { type: "set@1" } };
    await definitions.create({ format: 1, name: "shared", nodes });
    const left = await openTab("#/definitions/shared");
    const right = await openTab("#/definitions/shared");
    await left.page.waitForSelector('.react-flow__node[data-id="one"]');
    await right.page.waitForSelector('.react-flow__node[data-id="two"]');
    await left.page.locator('.react-flow__node[data-id="one"]').click();
    await left.fill("Step name", "Left");
    await left.shows(/^Saved$/, ".oxe-saving");
    await right.page.locator('.react-flow__node[data-id="two"]').click();
    await right.fill("Step name", "Right");
    await right.shows(/were merged with yours/, ".oxe-notices");
    await eventually(
      async () => (await definitions.get("shared"))?.draft["nodes"],
      (draft) => JSON.stringify(draft).includes("Right"),
    );
    expect((await definitions.get("shared"))?.draft["nodes"]).toMatchObject({
      one: { title: "Left" },
      two: { title: "Right" },
    });
  });

  it("are only shown to a token that may not change them", async () => {
    const definitions = definitionsOf(world().bench.client);
    const revision = await definitions.create({
      format: 1,
      name: "looked-at",
      nodes: { one: { type: "set@1" } },
    });
    await definitions.publish("looked-at", revision, { unchecked: true });
    const admin = await openTab("#/definitions");
    await admin.shows(/Create a definition/);
    await admin.shows(/looked-at[^]*Pause/);
    const tab = await openTab("#/definitions", { token: "reader" });
    expect(await tab.shows(/looked-at/)).not.toMatch(/Create a definition|Pause/);
    await tab.press("looked-at");
    const text = await tab.shows(/Read only/, ".oxe-toolbar");
    expect(text).not.toMatch(/Publish|Test/);
  });

  it("are tested with pins on the canvas, all of a draft or only one step", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const worker = createDefinitions({ pool: "tests" }).serve({ url: bench.url, logger: false });
    onTestFinished(() => worker.stop());
    await definitions.create({
      format: 1,
      name: "tested",
      input: {
        type: "object",
        required: ["rank"],
        properties: { rank: { type: "integer", minimum: 3 } },
      },
      nodes: {
        major: {
          type: "branch@1",
          params: { cases: [{ id: "yes", when: "input.rank >= 3" }] },
        },
        page: {
          type: "http.request@1",
          params: { method: "POST", url: "https://pager.example.com/", body: { $path: "input" } },
        },
        done: { type: "end@1", params: { output: { $path: "nodes.page.output.status" } } },
        quiet: { type: "set@1", params: { value: 1 } },
      },
      edges: [
        { from: "major", on: "yes", to: "page" },
        { from: "major", on: "else", to: "quiet" },
        { from: "page", to: "done" },
      ],
      settings: { pool: "tests" },
    });
    const tab = await openTab("#/definitions/tested");
    const { page } = tab;
    await page.setViewport({ width: 1_440, height: 900 });
    await page.waitForSelector('.react-flow__node[data-id="page"]');
    await tab.press("Test");
    // The input begins with a sample of its schema.
    await tab.shows(/Run the draft/, ".oxe-test");
    await tab.press("Run the draft");
    await tab.shows(/The test is completed/, ".oxe-test header");
    const mark = (id: string): Promise<string> =>
      tab.shows(/./, `.react-flow__node[data-id="${id}"] .oxe-mark`);
    expect(await mark("page")).toBe("succeeded");
    expect(await mark("quiet")).toBe("skipped");
    await page.locator('.react-flow__node[data-id="page"]').click();
    await tab.shows(/A sample of its output[^]*Input[^]*pager\.example\.com/, ".oxe-test");

    // A pin takes the place of the work.
    await tab.select(".oxe-pin select", "output");
    await tab.fill("Output of the pin", "nonsense");
    await tab.press("Pin");
    await tab.shows(/The output is not JSON/, ".oxe-pin");
    await tab.fill("Output of the pin", '{"status": 207}');
    await tab.press("Pin");
    await tab.shows(/pinned/, '.react-flow__node[data-id="page"]');
    await tab.press("Run the draft");
    await tab.shows(/Pinned: the step/, ".oxe-test");
    await page.keyboard.press("Escape");
    await page.locator(".oxe-title").click();
    await tab.shows(/Output\s+207/, ".oxe-test");

    // The unsaved draft is tested: a pin that fails takes the run down.
    await page.locator('.react-flow__node[data-id="page"]').click();
    await tab.select(".oxe-pin select", "error");
    await tab.fill("Code of the error", "DOWN");
    await tab.fill("Message of the error", "no pager today");
    await tab.press("Change the pin");
    await tab.press("Run the draft");
    await tab.shows(/The test is failed/, ".oxe-test header");
    expect(await mark("page")).toBe("failed");
    await tab.shows(/DOWN: no pager today/, ".oxe-test");

    // Only one step, whose place in the graph nothing leads to.
    await page.locator('.react-flow__node[data-id="quiet"]').click();
    await tab.press("Run this step alone");
    await tab.shows(/The test is completed/, ".oxe-test header");
    await tab.shows(/Output\s+\{\s+"value": 1/, ".oxe-test");
    expect(await tab.count(".oxe-mark")).toBe(1);

    // Selected text is copied as text, a step that is chosen since as a step.
    const control = async (key: "a" | "c" | "v"): Promise<void> => {
      await page.keyboard.down("Control");
      await page.keyboard.press(key);
      await page.keyboard.up("Control");
    };
    const copied = async (): Promise<string> => {
      await control("c");
      await page.focus(".oxe-test textarea");
      await control("a");
      await control("v");
      return page.$eval(".oxe-test textarea", (field) => (field as { value?: string }).value ?? "");
    };
    const selectOutput = (): Promise<unknown> =>
      page.evaluate("getSelection().selectAllChildren(document.querySelector('.oxe-value'))");
    await selectOutput();
    expect(await copied()).toMatch(/^\{\s+"value": 1\s+\}$/);
    await selectOutput();
    await page.locator('.react-flow__node[data-id="page"]').click();
    expect(await copied()).toContain("http.request@1");
    await page.locator('.react-flow__node[data-id="quiet"]').click();

    // The list shows the same.
    await tab.press("List");
    await tab.shows(/succeeded/, '.oxe-list-view [aria-current="true"]');
    await tab.press("Clear");
    await eventually(
      () => bench.database.query("select from queue.workflow_list('{\"test\": true}')"),
      [],
    );
  });

  it("take the input and the pins of a test from a past run", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const worker = createDefinitions({ pool: "pasts" }).serve({ url: bench.url, logger: false });
    onTestFinished(() => worker.stop());
    const revision = await definitions.create({
      format: 1,
      name: "tested-again",
      nodes: {
        answer: { type: "wait@1", params: { event: "answered", timeout: "1h" } },
        done: { type: "end@1", params: { output: { $path: "nodes.answer.output.text" } } },
      },
      edges: [{ from: "answer", on: "received", to: "done" }],
      settings: { pool: "pasts" },
    });
    await definitions.publish("tested-again", revision, { unchecked: true });
    const run = await definitions.start("tested-again", { asked: "when?" });
    await bench.client.signal(run.runId, "answered", { text: "tomorrow" });
    await run.result({ timeout: "60s" });
    const tab = await openTab("#/definitions/tested-again");
    const { page } = tab;
    await page.setViewport({ width: 1_440, height: 900 });
    await page.waitForSelector('.react-flow__node[data-id="answer"]');
    await tab.press("Test");
    const pasts = 'select[aria-label="Input and pins from a past run"]';
    await page.waitForSelector(pasts);
    await tab.select(pasts, run.runId);
    await tab.shows(/1 step is pinned to run/, ".oxe-notices");
    const input = await page.$eval(
      ".oxe-test textarea",
      (field) => (field as unknown as { value: string }).value,
    );
    expect(JSON.parse(input)).toEqual({ asked: "when?" });
    await tab.press("Run the draft");
    await tab.shows(/Output\s+"tomorrow"/, ".oxe-test");
  });
  it("show the progress of any run on the canvas, with the way that a step took", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const ring = defineNode({
      type: "phone.ring",
      handles: ["answered", "busy"],
      params: {},
      run: () => takeHandle("busy", { tries: 2 }),
    });
    const worker = createDefinitions({ pool: "rings", nodes: [ring] }).serve({
      url: bench.url,
      logger: false,
    });
    onTestFinished(() => worker.stop());
    await eventually(
      () => definitionsOf(bench.client).catalog.nodeTypes({ pool: "rings" }),
      isNotEmpty,
    );
    const document = {
      format: 1 as const,
      name: "rings",
      nodes: {
        ring: { type: "phone.ring@1" },
        talk: { type: "set@1" },
        later: { type: "wait@1", params: { event: "never" } },
      },
      edges: [
        { from: "ring", on: "answered", to: "talk" },
        { from: "ring", on: "busy", to: "later" },
      ],
      settings: { pool: "rings" },
    };
    await definitions.publish("rings", await definitions.create(document), { unchecked: true });
    const run = await definitions.start("rings", {});
    // A test has a version that no list contains.
    const test = await definitions.test("rings", {}, { effects: "real" });
    for (const { runId } of [run, test]) {
      await eventually(() => bench.client.runs.find(runId), { activity: "waiting" });
      const tab = await openTab(`#/runs/${runId}`);
      await tab.press("Show on the canvas");
      const mark = (id: string): string => `.oxe-dialog .react-flow__node[data-id="${id}"]`;
      await tab.shows(/waiting/, `${mark("later")} .oxe-mark`);
      await tab.shows(/skipped/, `${mark("talk")} .oxe-mark`);
      expect(tab.page.url()).toMatch(new RegExp(`definitions/rings\\?run=.*${runId}`));
      await tab.page.locator(mark("ring")).click();
      const values = await tab.shows(/By\s+busy\s+Output/, ".oxe-dialog dl");
      expect(values).toMatch(/^ring\s+succeeded\s+By\s+busy\s+Output\s+\{\s*"tries": ?2\s*\}$/);
    }
  });

  it("show live what each iteration of a loop does, and what conditions came to", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const take = defineNode({
      type: "shelf.take",
      retry: { attempts: 1 },
      params: { type: "object", properties: { count: { type: "integer" } } },
      run: ({ params }) => {
        const { count } = params as { count: number };
        if (count > 5) throw new Error("too few are there");
        return { taken: count };
      },
    });
    const worker = createDefinitions({ pool: "rounds", nodes: [take] }).serve({
      url: bench.url,
      logger: false,
    });
    onTestFinished(() => worker.stop());
    await definitions.create({
      format: 1,
      name: "rounds",
      nodes: {
        pack: {
          type: "for_each@1",
          params: { items: { $path: "input.counts" }, failures: 1 },
        },
        take: {
          parent: "pack",
          type: "shelf.take@1",
          when: "item > 0",
          params: { count: { $path: "item" } },
        },
        note: { parent: "pack", type: "set@1", params: { value: { $path: "item" } } },
        sent: { type: "wait@1", params: { event: "sent" } },
      },
      edges: [
        { from: "take", to: "note" },
        { from: "pack", to: "sent" },
      ],
      settings: { pool: "rounds" },
    });
    await definitions.publish("rounds", 1, { unchecked: true });
    const { runId } = await definitions.start("rounds", { counts: [3, 0, 9] });
    const tab = await openTab(`#/definitions/rounds?run=${runId}`);
    const { page } = tab;
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    const inDialog = (text: RegExp, part = ""): Promise<string> =>
      tab.shows(text, `.oxe-dialog ${part}`);
    const mark = (id: string): string => `.react-flow__node[data-id="${id}"] .oxe-mark`;
    await inDialog(/waiting/, mark("sent"));
    // The iteration that needs attention most is marked.
    await inDialog(/failed/, mark("take"));
    await inDialog(/0 to 2, 1 failed/, ".oxe-iterations");
    await page.locator('.oxe-dialog .react-flow__node[data-id="take"] .oxe-card-head').click();
    await inDialog(/take\s+(?=.*succeeded 1)(?=.*skipped 1)(?=.*failed 1)/, "dl");
    await tab.press("Next that failed");
    await inDialog(
      /pack\.2\.take\s+failed[^]*Condition\s+item > 0 true[^]*too few are there/,
      "dl",
    );
    await tab.fill("Iteration of pack", "1");
    await inDialog(/pack\.1\.take\s+skipped[^]*Condition\s+item > 0 false/, "dl");
    await inDialog(/skipped/, mark("note"));
    await inDialog(/^if false$/, '.react-flow__node[data-id="take"] .oxe-card-flag');
    await tab.fill("Iteration of pack", "0");
    await inDialog(/pack\.0\.take\s+succeeded[^]*item > 0 true[^]*"taken": ?3/, "dl");
    await inDialog(/succeeded/, mark("note"));
    // The end comes as an event: the journal isn't read again and again until then.
    const reads = (): number =>
      asked.filter((path) => path.endsWith(`/runs/${runId}/steps`)).length;
    const before = reads();
    await bench.client.signal(runId, "sent", {});
    await inDialog(/succeeded/, mark("sent"));
    expect(asked.filter((path) => path.endsWith("/progress/events"))).toHaveLength(1);
    expect(reads() - before).toBeLessThanOrEqual(2);
    // On a phone, no style of the dashboard hides it.
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForSelector(".oxe-dialog", { visible: true });
  });

  it("count the items of a loop that are runs, and lead to the run of each", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const take = defineNode({
      type: "box.take",
      retry: { attempts: 1 },
      params: { type: "object", properties: { count: { type: "integer" } } },
      run: ({ params }) => {
        const { count } = params as { count: number };
        if (count > 5) throw new Error("too few boxes");
        return { taken: count };
      },
    });
    const worker = createDefinitions({ pool: "boxes", nodes: [take] }).serve({
      url: bench.url,
      logger: false,
    });
    onTestFinished(() => worker.stop());
    await definitions.create({
      format: 1,
      name: "boxes",
      nodes: {
        pack: {
          type: "for_each@1",
          params: { items: { $path: "input.counts" }, failures: 1, as: "runs" },
        },
        take: { parent: "pack", type: "box.take@1", params: { count: { $path: "item" } } },
        sent: { parent: "pack", type: "wait@1", when: "item == 3", params: { event: "sent" } },
      },
      edges: [{ from: "take", to: "sent" }],
      settings: { pool: "boxes" },
    });
    await definitions.publish("boxes", 1, { unchecked: true });
    const { runId } = await definitions.start("boxes", { counts: [1, 3, 9] });
    const tab = await openTab(`#/definitions/boxes?run=${runId}`);
    const inDialog = (text: RegExp, part = ""): Promise<string> =>
      tab.shows(text, `.oxe-dialog ${part}`);
    const mark = (id: string): string => `.react-flow__node[data-id="${id}"] .oxe-mark`;
    await inDialog(/0 to 2, (?=.*1 succeeded)(?=.*1 running)(?=.*1 failed)/, ".oxe-iterations");
    await tab.press("Next that failed");
    await tab.press("Show its run");
    await inDialog(/failed/, mark("take"));
    await inDialog(/The run is failed/);
    await tab.page.locator('.oxe-dialog .react-flow__node[data-id="take"] .oxe-card-head').click();
    await inDialog(/pack\.2\.take\s+failed[^]*too few boxes|take\s+failed 1/, "dl");
    // Back to the run of the loop, and from there to the item that waits.
    await tab.select(".oxe-dialog .oxe-run-choice select", runId);
    await tab.fill("Iteration of pack", "1");
    await tab.press("Show its run");
    await inDialog(/waiting/, mark("sent"));
    const [waiting] = await bench.database.query<{ id: string }>(
      "select run_id::text as id from queue.workflow_run where parent_run_id = $1 and parent_step = 'pack.1'",
      [runId],
    );
    await bench.client.signal(waiting?.id ?? "", "sent", {});
    await inDialog(/succeeded/, mark("sent"));
    await tab.select(".oxe-dialog .oxe-run-choice select", runId);
    await inDialog(/0 to 2, (?=.*2 succeeded)(?=.*1 failed)/, ".oxe-iterations");
  });

  it("are checked by the server, which knows the node types and resources of workers", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const { resources, catalog } = definitions;
    const send = defineNode({
      type: "crate.send",
      title: "Send a crate",
      params: {
        type: "object",
        properties: { depot: { type: "string", title: "Depot", resource: "Depot" } },
      },
      run: () => null,
    });
    const depot = defineResource({
      type: "Depot",
      title: "Depots",
      schema: { type: "object" },
      get: () => Promise.resolve({}),
    });
    const packed = defineTrigger({ name: "crate.packed", schema: { type: "object" } });
    const types = { nodes: [send], resources: [depot], triggers: [packed] };
    const worker = createDefinitions({ pool: "crates", ...types }).serve({
      url: bench.url,
      logger: false,
    });
    onTestFinished(() => worker.stop());
    await eventually(
      async () =>
        [
          await catalog.nodeTypes({ pool: "crates" }),
          await catalog.triggerTypes({ pool: "crates" }),
          (await resources.types()).filter(({ name }) => name === "Depot"),
        ].every(({ length }) => length > 0),
      true,
    );
    await definitions.create({
      format: 1,
      name: "crates",
      nodes: { send: { type: "crate.send@1", params: { depot: { $config: "nearest" } } } },
      settings: { pool: "crates" },
    });
    const tab = await openTab("#/definitions/crates");
    await tab.page.setViewport({ width: 1_280, height: 800 });
    // The type of trigger that workers have declared comes first, and a topic can be typed.
    await tab.press("Add a trigger");
    await tab.select(".oxe-trigger select", "manual");
    await tab.select(".oxe-trigger select", "crate.packed");
    await tab.select(".oxe-trigger select", " topic");
    await tab.fill("Topic", "crates.*");
    await eventually(
      async () => (await definitions.get("crates"))?.draft["triggers"],
      (triggers) => isDeepStrictEqual(triggers, { trigger_1: { on: "crates.*" } }),
    );
    const card = '.react-flow__node[data-id="send"]';
    // Only the database knows which values the environment has.
    await tab.shows(/1/, `${card} .oxe-count.warning`);
    await tab.page.locator(card).click();
    await tab.shows(/the database has no value "nearest"/i, ".oxe-inspector");
    // The form offers the type of resource that workers have registered.
    await tab.select('select[aria-label="How Depot gets its value"]', "resource");
    await tab.page.waitForSelector('input[placeholder="Id of the Depot"]');
  });

  it("abort a search for resources when its text changes", async () => {
    const { bench } = world();
    const definitions = definitionsOf(bench.client);
    const { resources, catalog } = definitions;
    const moor = defineNode({
      type: "pier.moor",
      title: "Moor",
      params: {
        type: "object",
        properties: { pier: { type: "string", title: "Pier", resource: "Pier" } },
      },
      run: () => null,
    });
    const pier = defineResource({
      type: "Pier",
      title: "Piers",
      schema: { type: "object" },
      get: () => Promise.resolve({}),
      list: ({ text }) =>
        text === "slow"
          ? new Promise<never>(() => {})
          : { resources: [{ id: "P1", title: "North pier" }] },
    });
    const worker = createDefinitions({ pool: "piers", nodes: [moor], resources: [pier] }).serve({
      url: bench.url,
      logger: false,
    });
    onTestFinished(() => worker.stop());
    await eventually(
      async () =>
        [
          await catalog.nodeTypes({ pool: "piers" }),
          (await resources.types()).filter(({ name }) => name === "Pier"),
        ].every(({ length }) => length > 0),
      true,
    );
    await definitions.create({
      format: 1,
      name: "piers",
      nodes: { moor: { type: "pier.moor@1", params: {} } },
      settings: { pool: "piers" },
    });
    const tab = await openTab("#/definitions/piers");
    await tab.page.locator('.react-flow__node[data-id="moor"]').click();
    await tab.page.waitForSelector('select[aria-label="How Pier gets its value"]');
    await tab.select('select[aria-label="How Pier gets its value"]', "resource");
    const isSlow = (url: string): boolean => url.includes("/catalog/resources/Pier?q=slow");
    const field = await tab.page.waitForSelector('input[placeholder="Find a Pier"]');
    const asked = tab.page.waitForRequest((request) => isSlow(request.url()));
    await field?.type("slow");
    const request = await asked;
    expect(request.failure()).toBeNull();
    await field?.type("er");
    await eventually(() => Promise.resolve(request.failure()?.errorText), "net::ERR_ABORTED");
    await tab.shows(/North pier\s+P1/, ".oxe-values");
  });
}
