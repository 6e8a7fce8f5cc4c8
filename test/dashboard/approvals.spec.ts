/** Requests of runs for approval, and decisions about them. */
import { createDefinitions } from "@oxbow/declared";
import { beforeAll, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually } from "../helpers/eventually.ts";
import { MARKUP } from "./workflows.ts";
import { openTab, world } from "./world.ts";

const POOL = "asking";
const FORM = {
  type: "object",
  required: ["why", "amount"],
  // Longer names come last in the database.
  order: ["more", "why", "amount", "urgent"],
  properties: {
    why: { type: "string", title: "Why", widget: "textarea" },
    amount: { type: "integer", title: "Amount", minimum: 1, maximum: 10 },
    risk: { enum: ["low", "high"], title: "Risk", default: "low" },
    urgent: { type: "boolean", title: "Urgent" },
    more: { type: "object", title: "More" },
  },
};

let made = 0;

/** A run that waits for an approval; returns the id of the request. */
export async function askPeople(
  title: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly runId: string; readonly workflow: string }> {
  made += 1;
  const workflow = `asks-${made}`;
  const { approvals } = world().bench.client;
  const definitions = definitionsOf(world().bench.client);
  const review = { type: "approve@1", params: { title, timeout: "2d", ...params } };
  const end = { type: "end@1", params: { output: { $path: "nodes.review.output.values" } } };
  const revision = await definitions.create({
    format: 1,
    name: workflow,
    nodes: { review, end },
    edges: [{ from: "review", on: "approved", to: "end" }],
    settings: { pool: POOL },
  });
  await definitions.publish(workflow, revision, { unchecked: true });
  const { runId } = await definitions.start(workflow, {});
  const requests = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const page of approvals.list({ runId })) {
      ids.push(...page.approvals.map(({ id }) => id));
    }
    return ids;
  };
  const [id = ""] = await eventually(requests, { length: 1 });
  return { id, runId, workflow };
}

export function serveAsking(): void {
  beforeAll(() => {
    const worker = createDefinitions({ pool: POOL }).serve({
      url: world().bench.url,
      logger: false,
    });
    return () => worker.stop();
  });
}

export function describeApprovals(): void {
  serveAsking();

  it("are listed, filled in and decided by the keyboard, and the run continues", async () => {
    const { client } = world().bench;
    const { runId, workflow } = await askPeople("Refund Ada?", { form: FORM });
    const tab = await openTab(`#/approvals?workflow=${workflow}`);
    await tab.shows(/Refund Ada\?[^]*waiting[^]*Approve…/);
    await tab.goTo(`#/runs/${runId}`);
    await tab.shows(/Waits for an approval, until/);
    await tab.goTo(`#/approvals?workflow=${workflow}`);
    const { keyboard } = tab.page;
    await tab.page.waitForSelector('button[aria-label="Approve Refund Ada?"]');
    await tab.page.focus('button[aria-label="Approve Refund Ada?"]');
    await keyboard.press("Enter");
    await tab.page.waitForSelector(".dialog textarea");
    expect(await tab.text(".dialog")).toMatch(/More[^]*Why[^]*Amount[^]*Urgent[^]*Risk/);
    const tabTo = async (label: string): Promise<void> => {
      await eventually(async () => {
        await keyboard.press("Tab");
        return tab.page.evaluate("document.activeElement?.labels?.[0]?.innerText ?? ''");
      }, label);
    };
    await tabTo("Why");
    await keyboard.type("She paid twice.");
    await tabTo("Amount");
    await keyboard.type("11");
    await keyboard.press("Enter");
    // The browser refuses what is above the maximum.
    expect(await tab.count(".dialog input:invalid")).toBe(1);
    await keyboard.press("Backspace");
    await tabTo("Urgent");
    await keyboard.press("Space");
    await keyboard.press("Enter");
    await tab.shows(/Refund Ada\?: decided, and the run continues/, ".notes");
    await tab.shows(/No request matches/);
    const run = await eventually(() => client.runs.find(runId), { status: "completed" });
    expect(run?.output).toEqual({
      why: "She paid twice.",
      amount: 1,
      risk: "low",
      urgent: true,
    });
    await tab.select("select[name=state]", "decided");
    await tab.shows(/Refund Ada\?[^]*approved[^]*by token-/);
    await tab.press("Refund Ada?");
    await tab.shows(/Refund Ada\?\s+approved[^]*Decisions[^]*"amount": 1/);
    expect(tab.page.url()).toMatch(/#\/approvals\/\d+$/);
  });

  it("appear while the page is open, and show what the server refuses", async () => {
    const { runId } = await askPeople("The first of two");
    const tab = await openTab(`#/approvals?runId=${runId}`);
    await tab.shows(/The first of two/);
    const all = await openTab("#/approvals");
    await all.shows(/The first of two/);
    const second = await askPeople("The second of two", {
      form: { properties: { name: { type: "string", title: "Name", minLength: 3 } } },
    });
    await all.shows(/The second of two/);
    await all.page.locator('button[aria-label="Approve The second of two"]').click();
    await all.fill("Name", "x");
    await all.press("Approve");
    await all.shows(/The values don't fit the form[^]*name/, ".dialog .problem");
    // Another person decides while the dialog is open: it stays, and shows the answer.
    await world().bench.client.approvals.decide(second.id, "rejected");
    await all.fill("Name", "Ada");
    await all.press("Approve");
    await all.shows(/The second of two: this was decided before/, ".notes");
    await tab.page.locator('button[aria-label="Reject The first of two"]').click();
    await tab.press("Reject");
    await tab.shows(/No request matches/);
    const { approvals } = world().bench.client;
    for await (const page of approvals.list({ runId })) {
      expect(page.approvals.map(({ status }) => status)).toEqual(["rejected"]);
    }
  });

  it("have no buttons for people who may not decide", async () => {
    const forOthers = await askPeople("For others alone", { approvers: ["ada"] });
    const forAll = await askPeople("For everyone");
    const reader = await openTab(`#/approvals/${forAll.id}`, { token: "reader" });
    await reader.shows(/For everyone\s+waiting/);
    expect(await reader.count("main button")).toBe(0);
    await reader.goTo("#/approvals");
    await reader.shows(/For everyone/);
    expect(await reader.count("tbody button")).toBe(0);
    const tab = await openTab("#/approvals");
    await tab.page.waitForSelector('button[aria-label="Approve For everyone"]');
    await tab.shows(/For others alone/);
    expect(await tab.count('button[aria-label="Approve For others alone"]')).toBe(0);
    await tab.page.locator("input[name=mine]").click();
    await eventually(
      () => tab.text(),
      (text) => text.includes("For everyone") && !text.includes("For others alone"),
    );
    expect(tab.page.url()).toMatch(/mine=true/);
    await tab.goTo(`#/runs/${forOthers.runId}`);
    await tab.press("Open the request");
    await tab.shows(/For others alone[^]*ada/);
  });

  it("keep the focus in the filters while each of them applies", async () => {
    const tab = await openTab("#/approvals");
    await tab.page.waitForSelector("input[name=workflow]");
    await tab.page.focus("input[name=workflow]");
    await tab.page.keyboard.type("nowhere");
    await tab.page.keyboard.press("Tab");
    await eventually(
      () => Promise.resolve(tab.page.url()),
      (url) => url.endsWith("#/approvals?workflow=nowhere"),
    );
    await tab.shows(/No request matches/);
    await tab.page.keyboard.type("ada");
    await tab.page.keyboard.press("Enter");
    await eventually(
      () => Promise.resolve(tab.page.url()),
      (url) => url.endsWith("?workflow=nowhere&approver=ada"),
    );
  });

  it("are reached from the palette", async () => {
    const tab = await openTab("");
    await tab.press("Go to… Ctrl K");
    await tab.page.locator(".palette-input").fill("that i may decide");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/^Approvals/);
    expect(tab.page.url()).toMatch(/#\/approvals\?mine=true$/);
  });
}

/** A request with markup in each text; returns its id. */
export const askHostile = () =>
  askPeople(MARKUP, {
    description: MARKUP,
    approvers: [MARKUP],
    form: {
      properties: {
        [MARKUP]: { type: "string", title: MARKUP, description: MARKUP, default: MARKUP },
      },
    },
  });
