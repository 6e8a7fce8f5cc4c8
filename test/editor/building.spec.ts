/** Building a workflow by its forms. */
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { openEditor } from "./world.ts";

export function describeBuilding(): void {
  it("makes the escalation without typing JSON", async () => {
    const tab = await openEditor("new-workflow");
    const { page } = tab;
    // The input of a run.
    await tab.type("New field of the input", "incident");
    await tab.keys("Enter");
    await tab.choose("Type of incident", "resource:Incident");
    // Its trigger.
    await tab.press("Add a trigger");
    await tab.type("Only if", "event.incident.severity.rank >= 3");
    await tab.press("Add once for each");
    await tab.type("Once for each 1", "event.incident.i");
    await tab.keys("Enter");
    await tab.choose("How Incident gets its value", "path");
    await tab.type("Incident", "");
    await tab.keys("Enter");
    // Its steps.
    await tab.button("Post to Slack");
    await tab.choose("How Channel gets its value", "path");
    await tab.type("Channel", "chan");
    await tab.keys("Enter");
    await tab.choose("How Text gets its value", "text");
    await tab.type("Text", "Severity is {{ input.incident.severity.na");
    await tab.keys("Enter");
    await page.keyboard.type(" }}, paging.");
    await tab.button("Page by PagerDuty");
    // An id that isn't offered, and then a resource by its title.
    await tab.type("Escalation policy", "P9Z");
    await tab.shows(/Use this id:\s*P9Z/, "[role=listbox]");
    await tab.keys("Enter", "Tab");
    const entered = await page.$eval(
      'input[aria-label="Escalation policy"]',
      (input) => (input as unknown as { readonly value: string }).value,
    );
    expect(entered).toBe("P9Z");
    await tab.type("Escalation policy", "prod");
    await tab.shows(/Production on call/, "[role=listbox]");
    await tab.keys("Enter");
    await tab.choose("How Title gets its value", "path");
    await tab.type("Title", "incident.name");
    await tab.keys("Enter");
    await tab.choose("API key", "pagerduty");
    const draft = await tab.draft(({ nodes }) => JSON.stringify(nodes).includes('pagerduty"}'));
    expect(draft).toMatchObject({
      input: {
        type: "object",
        required: ["incident"],
        properties: { incident: { $ref: "resource:Incident" } },
      },
      triggers: {
        trigger_1: {
          on: "incident.updated",
          when: "event.incident.severity.rank >= 3",
          once_for: ["event.incident.id"],
          input: { incident: { $path: "event.incident" } },
        },
      },
      nodes: {
        post: {
          type: "slack.post@1",
          params: {
            channel: { $path: "input.incident.channel" },
            text: { $text: "Severity is {{ input.incident.severity.name }}, paging." },
          },
        },
        escalate: {
          type: "pagerduty.escalate@1",
          params: {
            policy: { $resource: { type: "EscalationPolicy", id: "P7X" } },
            title: { $path: "input.incident.name" },
            key: { $secret: "pagerduty" },
          },
        },
      },
      edges: [{ from: "post", to: "escalate" }],
    });
    await tab.shows(/No problems/, ".oxe-toolbar");
  });

  it("reports three mistakes at their fields, and leads to them", async () => {
    const tab = await openEditor("page-on-major");
    const { page } = tab;
    await tab.shows(/No problems/, ".oxe-toolbar");
    await page.locator('.react-flow__node[data-id="page"]').click();
    // A value of another type, a name that doesn't exist, and a parameter that is missing.
    await tab.choose("How Repeats gets its value", "path");
    await tab.fill("Repeats", "input.incident.name");
    await tab.choose("How Title gets its value", "cel");
    await tab.fill("Title", "nodes.infrm.output.ts");
    await tab.choose("API key", "");
    await tab.shows(/3 errors/, ".oxe-toolbar");
    const problemsOf = (pointer: string): Promise<string> =>
      tab.text(`[data-pointer="${pointer}"] .oxe-field-problems`);
    expect(await problemsOf("/nodes/page/params/attempts")).toMatch(
      /text instead of a whole number/,
    );
    expect(await problemsOf("/nodes/page/params/title")).toMatch(/Did you mean "inform"\?/);
    expect(await tab.text('[data-pointer="/nodes/page/params/title"] mark')).toBe("nodes.infrm");
    expect(await problemsOf("/nodes/page/params/key")).toMatch(/"key" is missing/);
    expect(await tab.text('.react-flow__node[data-id="page"] .oxe-count')).toMatch(/3/);
    // From anywhere.
    await tab.keys("Escape");
    await tab.press("3 errors");
    await page
      .locator(`::-p-xpath(//section[@aria-label="Problems"]//button[contains(., '"key" is')])`)
      .click();
    await eventually(() => tab.focused("aria-label"), "API key");
  });

  it("offers only what is guaranteed, and the rest with its reason", async () => {
    const tab = await openEditor("page-on-major");
    await tab.page.locator('.react-flow__node[data-id="mail"]').click();
    await tab.choose("How Body gets its value", "path");
    await tab.type("Body", "nodes.page");
    const shown = await tab.shows(/more that may be missing/, ".oxe-values");
    expect(shown).not.toMatch(/nodes\.page\.output\.responder/);
    await tab.keys("ArrowUp", "Enter");
    expect(await tab.shows(/nodes\.page\.output/, ".oxe-values")).toMatch(/page/);
  });

  it("works by only the keyboard", async () => {
    const tab = await openEditor("new-workflow");
    const { keyboard } = tab.page;
    await tab.page.focus(".oxe-title");
    await keyboard.press("/");
    await tab.page.waitForSelector(".oxe-choice");
    await keyboard.type("slack");
    await keyboard.press("Enter");
    await tab.shows(/Post to Slack/, ".oxe-inspector h2");
    await tab.page.focus(".oxe-title");
    await keyboard.press("/");
    await tab.page.waitForSelector(".oxe-choice");
    await keyboard.type("branch");
    await keyboard.press("Enter");
    await tab.shows(/Branch/, ".oxe-inspector h2");
    // To a field with only Tab.
    await eventually(
      async () => {
        await keyboard.press("Tab");
        return tab.focused("textContent");
      },
      (text) => text.trim() === "Add case",
    );
    await keyboard.press("Enter");
    const draft = await tab.draft(({ nodes }) =>
      JSON.stringify(nodes["branch"]).includes("case_1"),
    );
    expect(draft["edges"]).toEqual([{ from: "post", to: "branch" }]);
    expect(draft.nodes["branch"]).toEqual({
      type: "branch@1",
      params: { cases: [{ id: "case_1" }] },
    });
    await tab.page.focus(".oxe-title");
    await tab.control("z");
    await tab.control("z");
    expect(Object.keys((await tab.draft(({ nodes }) => !("branch" in nodes))).nodes)).toEqual([
      "post",
    ]);
  });

  it("shows a box as its default, and writes that it was cleared", async () => {
    const tab = await openEditor("new-workflow");
    await tab.button("Send an e-mail");
    const box = '::-p-aria([name="Count who opens it"][role="checkbox"])';
    await tab.shows(/Count who opens it[^]*\sYes\s/, ".oxe-inspector");
    await tab.page.locator(box).click();
    await tab.shows(/Count who opens it[^]*\sNo\s/, ".oxe-inspector");
    const { nodes } = await tab.draft((draft) => JSON.stringify(draft).includes("tracked"));
    expect(Object.values(nodes)).toMatchObject([{ params: { tracked: false } }]);
  });

  it("lists the steps in their order, and adds after one of them", async () => {
    const tab = await openEditor("page-on-major");
    await tab.press("List");
    const list = await tab.shows(/Inform the channel/, ".oxe-list-view");
    const titles = ["Inform the channel", "Page on call", "Was the page answered?", "Link it"];
    const places = titles.map((title) => list.indexOf(title));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await tab.button("Add a step after Inform the channel");
    await tab.page.waitForSelector(".oxe-choice");
    await tab.page.keyboard.type("delay");
    await tab.keys("Enter");
    const { edges } = await tab.draft(({ nodes }) => "delay" in nodes);
    expect(edges).toContainEqual({ from: "inform", to: "delay" });
  });
  it("sets when a schedule is due, and who may set off a webhook", async () => {
    const tab = await openEditor("page-on-major");
    const { page } = tab;
    const field = (name: string): string => `[data-pointer="/triggers/trigger_1/${name}"]`;
    const choose = async (name: string, value: string): Promise<void> => {
      await tab.select(`${field(name)} select`, value);
    };
    const trigger = async (wanted: object): Promise<void> => {
      const isWanted = (given: unknown): boolean =>
        JSON.stringify(given) === JSON.stringify(wanted);
      await tab.draft(({ triggers }) =>
        isWanted((triggers as Readonly<Record<string, unknown>>)["trigger_1"]),
      );
    };
    await tab.press("Add a trigger");
    await choose("on", "schedule");
    await tab.fill("Cron expression", "every night");
    await tab.shows(/every night/, `${field("cron")} .oxe-field-problems`);
    await tab.fill("Cron expression", "0 3 * * *");
    await tab.fill("Time zone", "Europe/Olso");
    await tab.shows(
      /There is no time zone "Europe\/Olso"/,
      `${field("time_zone")} .oxe-field-problems`,
    );
    await tab.fill("Time zone", "Europe/Oslo");
    await trigger({ on: "schedule", cron: "0 3 * * *", time_zone: "Europe/Oslo" });
    // An interval has no time zone, and takes the place of the expression.
    await choose("due", "every");
    await tab.fill("Interval", "15m");
    await trigger({ on: "schedule", every: "15m" });
    // Nothing of the schedule remains.
    await choose("on", "webhook");
    await trigger({ on: "webhook" });
    const ways = await page.$$eval(`${field("verify")} option`, (options) =>
      options.map((option) => (option as unknown as { value: string }).value),
    );
    expect(ways).toEqual(["signature", "github", "token"]);
    await choose("verify", "github");
    await trigger({ on: "webhook", verify: "github" });
    await choose("verify", "signature");
    await trigger({ on: "webhook" });
  });

  it("keeps the order in which fields of the input were added", async () => {
    const tab = await openEditor("new-workflow");
    for (const name of ["zone", "amount", "note"]) {
      await tab.type("New field of the input", name);
      await tab.keys("Enter");
    }
    const { input } = await tab.draft((draft) => JSON.stringify(draft).includes("note"));
    expect(input).toMatchObject({ order: ["zone", "amount", "note"] });
  });
}
