/** The list of runs. */
import type { HTTPRequest } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import type { Tab } from "../helpers/tab.ts";
import { openTab, world } from "./world.ts";

export function describeRuns(): void {
  it("leads from a workflow by way of its runs to one", async () => {
    const run = await world().bench.client.start("order", undefined);
    const tab = await openTab("");
    await tab.page.locator("main a[href$='#/runs?workflow=order']").click();
    await tab.shows(/Runs of order[^]*live/);
    await tab.page.locator(`main a[href$='#/runs/${run.runId}']`).click();
    await tab.shows(/Timeline[^]*charge[^]*Waits for event "shipped"/);
    expect(await tab.page.title()).toBe(`order ${run.runId} · Oxbow`);
    await tab.page.goBack();
    await tab.shows(/Runs of order/);
  });

  it("shows a new run of a workflow by itself", async () => {
    const tab = await openTab("#/runs?workflow=order");
    await tab.shows(/live/);
    const { runId } = await world().bench.client.start("order", undefined);
    await tab.page.waitForSelector(`main a[href$='#/runs/${runId}']`);
  });

  it("shows new runs of a busy workflow, also while searches are slow", async () => {
    const { client } = world().bench;
    const tab = await openTab("#/runs?workflow=order");
    await tab.shows(/live/);
    await tab.settled();
    await tab.page.setRequestInterception(true);
    tab.page.on("request", (request) => {
      const isSearch = request.url().endsWith("/v1/runs/search");
      setTimeout(() => void request.continue(), isSearch ? 1_000 : 0);
    });
    const { runId } = await client.start("order", undefined);
    await eventually(async () => {
      await client.start("order", undefined);
      return tab.count(`main a[href$='#/runs/${runId}']`);
    }, 1);
  });

  describe("filters", () => {
    it("stay in the address, and come back from it", async () => {
      const { client } = world().bench;
      const tagged = await client.start("order", undefined, { tags: { customer: 7 } });
      const tab = await openTab("#/runs");
      await tab.fill("Tags contain", "customer=7");
      await tab.page.keyboard.press("Enter");
      await eventually(() => tab.count("tbody tr"), 1);
      expect(await tab.text()).toContain(tagged.runId);
      expect(tab.page.url()).toContain("tags=customer%3D7");
      await tab.page.reload();
      await eventually(() => tab.count("tbody tr"), 1);
      expect(
        await tab.page.$eval(
          "input[name=tags]",
          (input) => (input as unknown as { value: string }).value,
        ),
      ).toBe("customer=7");
    });

    it("find runs by activity, parent, error text and schedule", async () => {
      const { client, database } = world().bench;
      const waiting = await client.start("order", undefined, { tags: { found: 1, schedule: "n" } });
      const parent = await client.start("parent", undefined);
      const failing = await client.start("flaky", { key: "for the filter" });
      await failing.result().catch(() => {});
      const [child] = await eventually(
        () =>
          database.query<{ runId: string }>(
            'select run_id as "runId" from queue.workflow_children($1)',
            [parent.runId],
          ),
        { length: 1 },
      );
      await eventually(() => client.runs.find(waiting.runId), { activity: "waiting" });
      const tab = await openTab("#/runs?tags=found%3D1");
      const isAlone = (runId: string | undefined) =>
        eventually(
          () => tab.text("tbody").catch(() => ""),
          (text) => text.startsWith(`${runId}\t`) && !text.includes("\n"),
        );
      await tab.settled();
      await tab.select("select[name=activity]", "waiting");
      await isAlone(waiting.runId);
      expect(tab.page.url()).toContain("activity=waiting");
      await tab.shows(/waiting/, "tbody");
      await tab.select("select[name=activity]", "sleeping");
      await tab.shows(/No run fits these filters/);
      await tab.press("Remove all filters");
      await tab.press("More filters");
      await tab.fill("Parent run", parent.runId);
      await tab.page.keyboard.press("Enter");
      await isAlone(child?.runId);
      await tab.goTo("#/runs?schedule=n");
      await isAlone(waiting.runId);
      await tab.goTo("#/runs?workflow=flaky");
      await tab.fill("Error contains", "The First Time");
      await tab.page.keyboard.press("Enter");
      await tab.page.waitForSelector(`main a[href$='#/runs/${failing.runId}']`);
      await tab.fill("Error contains", "never thrown");
      await tab.page.keyboard.press("Enter");
      await tab.shows(/No run fits these filters/);
      await database.query("select queue.workflow_cancel($1)", [parent.runId]);
    });

    it("accept JSON, and say what they can't read", async () => {
      const tab = await openTab(`#/runs?tags=${encodeURIComponent('{"customer": 7}')}`);
      await tab.shows(/order/, "tbody");
      await tab.goTo("#/runs?tags=nonsense");
      await tab.shows(/"nonsense" can't be read: write tags as name=value or as JSON/);
      await tab.goTo("#/runs?version=x");
      await tab.shows(/"x" is no version/);
      for (const [address, label] of [
        ["#/runs", "Run id"],
        ["#/deliveries", "Subscription"],
        ["#/approvals", "Run"],
        ["#/approvals", "Workflow"],
      ] as const) {
        await tab.goTo(address);
        await tab.fill(label, "No id!");
        await tab.page.keyboard.press("Enter");
        await eventually(() => tab.count("input:user-invalid"), 1);
        await tab.fill(label, "");
      }
    });

    it("find nothing with a way back", async () => {
      const tab = await openTab("#/runs?error=NO_SUCH_CODE");
      await tab.shows(/No run fits these filters/);
      await tab.press("Remove all filters");
      await tab.shows(/order/, "tbody");
    });
  });

  it("shows the columns that were chosen, also after a reload", async () => {
    const { runId } = await world().bench.client.start("order", undefined, {
      idempotencyKey: "chosen",
    });
    const tab = await openTab("#/runs?key=chosen&workflow=order");
    await tab.shows(new RegExp(runId), "tbody");
    const titles = () => tab.text("thead");
    expect(await titles()).not.toMatch(/Key/);
    await tab.press("Columns…");
    await tab.page.locator("::-p-xpath(//label[normalize-space()='Key']/input)").click();
    await tab.page.locator("::-p-xpath(//label[normalize-space()='About']/input)").click();
    await tab.press("Done");
    expect(await titles()).toMatch(/Run\s+Version\s+Status\s+Started\s+Took\s+Key/);
    await tab.page.reload();
    await tab.shows(/chosen/, "tbody");
    expect(await titles()).toMatch(/Key/);
    await tab.press("Columns…");
    await tab.press("Default columns");
    await tab.press("Done");
    expect(await titles()).toMatch(/About/);
    expect(await titles()).not.toMatch(/Key/);
  });

  it("shows older runs page by page, each with an address", async () => {
    const { database } = world().bench;
    await database.query(
      "select queue.workflow_start_batch('paged', array_fill('{}'::jsonb, array[120]))",
    );
    const tab = await openTab("#/runs?workflow=paged");
    const newestRun = async (): Promise<string> => (await tab.text("tbody")).split(/\s/)[0] ?? "";
    await tab.shows(/Older runs/);
    const newest = await newestRun();
    const held: HTTPRequest[] = [];
    let isHeld = true;
    await tab.page.setRequestInterception(true);
    tab.page.on("request", (request) => {
      if (isHeld && request.url().endsWith("/v1/runs/search")) held.push(request);
      else void request.continue();
    });
    await tab.press("Older runs");
    await tab.shows(/Newest runs[^]*Older runs/);
    expect(tab.page.url()).toContain("before=");
    // The rows of the newest page are still shown. What follows those of this page isn't known yet.
    expect(await newestRun()).toBe(newest);
    expect(await tab.count("nav[aria-label=Pages] a:any-link")).toBe(1);
    isHeld = false;
    for (const request of held) void request.continue();
    await tab.press("Older runs");
    await eventually(() => tab.count("tbody tr"), 20);
    await tab.press("Newest runs");
    await eventually(newestRun, newest);
  });

  it("starts a run from a form, and reports mistakes in the form", async () => {
    const tab = await openTab("#/runs?workflow=flaky");
    await tab.press("Start a run");
    await tab.fill("Input", "{");
    await tab.press("Start");
    await tab.shows(/The input is not JSON/, ".dialog");
    await tab.fill("Input", '{"key": "from-the-form"}');
    await tab.press("Start");
    await tab.shows(/flaky \d+[^]*failed/);
  });

  it("starts a run of a definition from a form that its input schema makes", async () => {
    const { runs } = world().bench.client;
    const definitions = definitionsOf(world().bench.client);
    const revision = await definitions.create({
      format: 1,
      name: "visits",
      input: {
        type: "object",
        required: ["guest"],
        order: ["guest", "nights", "extras", "billing"],
        properties: {
          extras: { type: "array", title: "Extras" },
          nights: { type: "integer", title: "Nights", minimum: 1, maximum: 30, default: 2 },
          guest: {
            type: "object",
            title: "Guest",
            required: ["name"],
            properties: {
              name: { type: "string", title: "Name" },
              vip: { type: "boolean", title: "Known here" },
            },
          },
          // Left empty, though it requires a field.
          billing: {
            type: "object",
            required: ["vat"],
            properties: { vat: { type: "string", title: "VAT id" } },
          },
        },
      },
      nodes: { wait: { type: "wait@1", params: { event: "never" } } },
      settings: { pool: "nowhere" },
    });
    await definitions.publish("visits", revision, { unchecked: true });
    const tab = await openTab("#/runs");
    await tab.press("Start a run");
    await tab.fill("Workflow", "visits");
    await tab.shows(/Guest\s+Name\s+Known here\s+Nights\s+Extras[^]*VAT id/i, ".dialog");
    await tab.fill("Name", "Ada");
    await tab.page.locator('::-p-aria([name="Known here"])').click();
    await tab.fill("Nights", "31");
    await tab.press("Start");
    expect(await tab.count(".dialog input:invalid")).toBe(1);
    await tab.fill("Nights", "3");
    await tab.press("Start");
    await tab.shows(/^visits \d+/);
    const runId = /runs\/(\d+)/.exec(tab.page.url())?.[1] ?? "";
    const run = await runs.find(runId);
    expect(run?.input).toEqual({ guest: { name: "Ada", vip: true }, nights: 3 });

    // As JSON, which the server compares with the schema before a run exists.
    await tab.goTo("#/runs?workflow=visits");
    await tab.press("Start a run");
    await tab.press("Enter JSON");
    await tab.fill("Input", '{"guest": {}}');
    await tab.press("Start");
    await tab.shows(/guest\.name: is missing/, ".dialog .problem");
  });

  it("starts a run of a workflow in code from a form that its registered schema makes", async () => {
    const { runs } = world().bench.client;
    const tab = await openTab("#/runs");
    await tab.press("Start a run");
    await tab.fill("Workflow", "parcel");
    // In the author's order: the required one first, then as in the schema.
    await tab.shows(/Zip code[^]*Pieces[^]*Express/, ".dialog");
    await tab.press("Start");
    expect(await tab.count(".dialog input:invalid")).toBe(1);
    await tab.fill("Zip code", "8001");
    await tab.fill("Pieces", "3");
    await tab.press("Start");
    await tab.shows(/^parcel \d+/);
    const inputOf = async (): Promise<unknown> =>
      (await runs.find(/runs\/(\d+)/.exec(tab.page.url())?.[1] ?? ""))?.input;
    expect(await inputOf()).toEqual({ zip: "8001", pieces: 3, express: false });

    // As JSON, which the schema of the form doesn't restrict.
    await tab.goTo("#/runs?workflow=parcel");
    await tab.press("Start a run");
    await tab.press("Enter JSON");
    await tab.fill("Input", '{"pieces": "many"}');
    await tab.press("Start");
    await tab.shows(/^parcel \d+/);
    expect(await inputOf()).toEqual({ pieces: "many" });
  });

  it.each(["zod", "arktype", "valibot"])(
    "starts a run from a form that a schema of %s makes",
    async (library) => {
      const { runs } = world().bench.client;
      const tab = await openTab("#/runs");
      await tab.press("Start a run");
      await tab.fill("Workflow", `parcel-${library}`);
      await tab.page.waitForSelector(".dialog legend + .field");
      // Each has a field, which is not JSON.
      expect(await tab.count(".dialog .field textarea:not([name=tags])")).toBe(0);
      await tab.fill("zip", "8001");
      await tab.fill("pieces", "0");
      await tab.press("Start");
      expect(await tab.count(".dialog input:invalid")).toBe(1);
      await tab.fill("pieces", "2");
      const speed = await tab.page.waitForSelector('::-p-aria([name="speed"][role="combobox"])');
      await speed?.select("fast");
      await tab.press("Start");
      await tab.shows(new RegExp(`^parcel-${library} \\d+`));
      const runId = /runs\/(\d+)/.exec(tab.page.url())?.[1] ?? "";
      const run = await eventually(
        () => runs.find(runId),
        ({ status }) => status !== "running",
      );
      expect(run).toMatchObject({
        status: "completed",
        output: { zip: "8001", pieces: 2, speed: "fast", note: null, insured: null },
      });
    },
  );

  describe("the form that starts a run", () => {
    it("keeps what was entered while it changes between fields and JSON", async () => {
      const tab = await openTab("#/runs?workflow=parcel");
      const valueOf = (selector: string): Promise<string> =>
        tab.page.$eval(selector, (field) => (field as unknown as { value: string }).value);
      const zip = ".dialog input[name=field-0]";
      await tab.press("Start a run");
      await tab.fill("Zip code", "8001");
      await tab.fill("Pieces", "2");
      await tab.press("Enter JSON");
      await tab.page.waitForSelector(".dialog textarea[name=input]");
      expect(JSON.parse(await valueOf(".dialog textarea[name=input]"))).toEqual({
        zip: "8001",
        pieces: 2,
        express: false,
      });

      await tab.fill("Input", '{"zip": "9000", "express": "by air"}');
      await tab.press("Fill in a form");
      await tab.shows(/The form has no field for this value of "express"/, ".dialog .problem");
      await tab.fill("Input", '{"zip": "9000", "express": true}');
      await tab.press("Fill in a form");
      await tab.page.waitForSelector(".dialog textarea", { hidden: true });
      expect(await valueOf(zip)).toBe("9000");
      await tab.press("Enter JSON");
      await tab.page.waitForSelector(".dialog textarea[name=input]");
      await tab.press("Fill in a form");
      await tab.page.waitForSelector(".dialog textarea", { hidden: true });
      await tab.fill("Pieces", "3");
      await tab.press("Start");
      await tab.shows(/^parcel \d+/);
      const runId = /runs\/(\d+)/.exec(tab.page.url())?.[1] ?? "";
      const run = await world().bench.client.runs.find(runId);
      expect(run?.input).toEqual({ zip: "9000", pieces: 3, express: true });
    });

    it("starts over with JSON that equals an earlier one, and without JSON", async () => {
      const tab = await openTab("#/runs?workflow=parcel");
      const enter = async (json: string): Promise<readonly string[]> => {
        await tab.press("Enter JSON");
        await tab.page.waitForSelector(".dialog textarea[name=input]");
        await tab.fill("Input", json);
        await tab.press("Fill in a form");
        await tab.page.waitForSelector(".dialog textarea", { hidden: true });
        return tab.page.$$eval(".dialog input[name=field-0], .dialog input[name=field-1]", (all) =>
          all.map((field) => (field as unknown as { value: string }).value),
        );
      };
      await tab.press("Start a run");
      await tab.fill("Zip code", "8001");
      const given = '{"zip": "9000", "pieces": 2}';
      expect(await enter(given)).toEqual(["9000", "2"]);
      await tab.fill("Pieces", "3");
      expect(await enter(given)).toEqual(["9000", "2"]);
      expect(await enter("")).toEqual(["", ""]);
    });

    const publish = async (name: string, titles: readonly string[]): Promise<void> => {
      const definitions = definitionsOf(world().bench.client);
      for (const [index, title] of titles.entries()) {
        const document = {
          format: 1 as const,
          name,
          input: {
            type: "object",
            required: ["guest"],
            properties: { guest: { type: "string", title } },
          },
          nodes: { wait: { type: "wait@1", params: { event: "never" } } },
          settings: { pool: "nowhere" },
        };
        const revision =
          index === 0
            ? await definitions.create(document)
            : await definitions.save(document, index);
        await definitions.publish(name, revision, { unchecked: true });
      }
    };

    /** Gives a test the requests for versions of definitions, which it answers. */
    const intercept = async ({ page }: Tab, answer: (request: HTTPRequest) => void) => {
      await page.setRequestInterception(true);
      page.on("request", (request) => {
        if (/v1\/definitions\/[^/]+\/versions/.test(request.url())) answer(request);
        else void request.continue();
      });
    };

    it("waits for the schema of the input, and keeps JSON that was typed before", async () => {
      await publish("bookings", ["Guest", "Visitor"]);
      const tab = await openTab("#/runs?workflow=bookings", { isUnavailable: true });
      const held: HTTPRequest[] = [];
      let isAway = true;
      await intercept(tab, (request) => {
        if (isAway) {
          const body = JSON.stringify({ code: "UNAVAILABLE", detail: "The database is away." });
          void request.respond({ status: 503, contentType: "application/problem+json", body });
        } else {
          held.push(request);
        }
      });
      const isStopped = () => tab.count(".dialog button[type=submit]:disabled");
      await tab.press("Start a run");
      await tab.shows(/The database is away/, ".dialog .problem");
      expect(await isStopped()).toBe(1);

      isAway = false;
      await tab.press("Try again");
      await tab.fill("Input", '{"guest": 7}');
      expect(await isStopped()).toBe(1);
      const [first] = await eventually(() => Promise.resolve(held), isNotEmpty);
      await first?.continue();
      await tab.shows(/Fill in a form/, ".dialog");
      await tab.press("Start");
      await tab.shows(/guest: /, ".dialog .problem");
      expect(
        await tab.page.$eval(
          "textarea[name=input]",
          (area) => (area as unknown as { value: string }).value,
        ),
      ).toBe('{"guest": 7}');
    });

    it("is that of the version which is named, and asks once for a name that is typed", async () => {
      await publish("lodgings", ["Guest", "Visitor"]);
      const tab = await openTab("#/runs");
      const asked: string[] = [];
      await intercept(tab, (request) => {
        asked.push(new URL(request.url()).pathname);
        void request.continue();
      });
      await tab.press("Start a run");
      await tab.page.waitForSelector(".dialog input[name=workflow]");
      // Faster than any machine is slow: all keys within one task of the page.
      await tab.page.evaluate(`{
        const field = document.querySelector(".dialog input[name=workflow]");
        const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
        for (let length = 1; length <= "lodgings".length; length++) {
          set.call(field, "lodgings".slice(0, length));
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }`);
      await tab.shows(/Visitor/, ".dialog");
      expect(asked).toEqual(["/v1/definitions/lodgings/versions/published"]);
      await tab.press("More");
      await tab.fill("Version", "1");
      await tab.shows(/Guest/, ".dialog");
      await tab.fill("Guest", "Ada");
      await tab.press("Start");
      await tab.shows(/^lodgings \d+/);
      const runId = /runs\/(\d+)/.exec(tab.page.url())?.[1] ?? "";
      const run = await world().bench.client.runs.find(runId);
      expect(run).toMatchObject({ version: 1, input: { guest: "Ada" } });
    });
  });

  it("exports the runs that match, with their values", async () => {
    const { client } = world().bench;
    const run = await client.start("order", { order: 7 }, { tags: { exported: 1 } });
    await client.start("order", { order: 8 });
    const tab = await openTab("#/runs?tags=exported%3D1");
    await tab.shows(new RegExp(run.runId), "tbody");
    // The page offers a file to the browser.
    await tab.page.evaluate(`globalThis.offered = new Promise((resolve) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        resolve(blob.text());
        return make.call(URL, blob);
      };
    }); 0`);
    await tab.press("Export");
    const text = (await tab.page.evaluate("globalThis.offered")) as string;
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ runId: run.runId, input: { order: 7 } }),
    ]);
  });

  it("changes all runs that match, after a count", async () => {
    const { client, database } = world().bench;
    await database.query(
      `select queue.workflow_start_batch('bulk', array_fill('{}'::jsonb, array[7]), tags => array_fill('{"lot": 1}'::jsonb, array[7]))`,
    );
    const tab = await openTab("#/runs?workflow=bulk&tags=lot%3D1");
    await tab.press("Change…");
    await tab.press("Cancel 7 runs");
    await tab.shows(/7 runs cancelled/, ".notes");
    expect(await client.runs.count({ workflow: "bulk", status: "cancelled" })).toBe(7);
    await tab.press("Change…");
    await tab.shows(/Cancel 0 runs/, ".dialog");
  });

  it("changes no runs before it has shown how many they are", async () => {
    const tab = await openTab("#/runs");
    await tab.page.setRequestInterception(true);
    tab.page.on("request", (request) => {
      // The answer never comes.
      if (!request.url().endsWith("/v1/runs/count")) void request.continue();
    });
    await tab.press("Change…");
    await tab.shows(/… runs match/, ".dialog");
    expect(await tab.count(".dialog button.danger:disabled")).toBe(1);
  });
}
