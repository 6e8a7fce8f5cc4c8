/**
 * The bar for a new node type: at most 40 lines, and it is in the catalog, the palette, its form, the checks and the
 * documentation, and it runs, with no other change.
 */
import { readFileSync } from "node:fs";
import { createDefinitions } from "@oxbow/declared";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { oxbow } from "../helpers/command.ts";
import { eventually, including, isNotEmpty } from "../helpers/eventually.ts";
import { secretOf } from "../helpers/server.ts";
import { sent, textMessage } from "./text-message.ts";
import { openTab, world } from "./world.ts";

const NAME = "text-on-call";
const POOL = "phones";

export function describeNodeType(): void {
  it("is one object", () => {
    const source = readFileSync(new URL("text-message.ts", import.meta.url), "utf8");
    expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  });

  it("is offered, filled in, checked, documented and executed", async () => {
    const { bench, server } = world();
    const definitions = definitionsOf(bench.client);
    const { catalog } = definitions;
    await definitions.create({
      format: 1,
      name: NAME,
      input: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      nodes: {},
      settings: { pool: POOL },
    });
    const worker = createDefinitions({
      pool: POOL,
      nodes: [textMessage],
      secrets: { get: () => "a-key-of-the-carrier" },
    }).serve({ url: bench.url, logger: false });
    onTestFinished(() => worker.stop());
    // The catalog.
    const types = await eventually(() => catalog.nodeTypes({ pool: POOL }), isNotEmpty);
    expect(types.map(({ type }) => type)).toContain("phone.text");
    const listed = await oxbow(["catalog", "list", "--url", server.url], {
      env: { QUEUE_TOKEN: secretOf("let-me-in") },
    });
    expect(listed.stdout).toMatch(/^phone\.text@1 +phones +Send a text message +Phone +writes/m);

    // The palette.
    const tab = await openTab(`#/definitions/${NAME}`);
    const { page } = tab;
    await page.setViewport({ width: 1_440, height: 900 });
    await tab.shows(/Phone\s+Send a text message/, ".oxe-palette");
    await page.locator('::-p-aria([name="Send a text message"][role="button"])').click();

    // The form: a field for each parameter, in the order of the schema and by its widget.
    const labels = (): Promise<string[]> =>
      page.$$eval("[data-pointer^='/nodes/text/params/']", (fields) =>
        fields.map(
          (field) =>
            (field as unknown as { dataset: { pointer: string } }).dataset.pointer.split("/")[4] ??
            "",
        ),
      );
    await page.waitForSelector('textarea[aria-label="Text"]');
    expect(await labels()).toEqual(["recipient", "text", "urgency", "sender"]);
    await tab.select('select[aria-label="Urgency"]', "1");
    await eventually(labels, including("repeats"));
    expect(await tab.text(".oxe-group summary")).toBe("More");

    // The checks, by the editor and by the server.
    await tab.fill("Recipient", "+44 20 7946 0018");
    await tab.fill("Text", "Wake up");
    await tab.fill("Repeats", "2");
    await tab.shows(/No problems/, ".oxe-toolbar");
    await tab.select('select[aria-label="How Recipient gets its value"]', "path");
    await tab.fill("Recipient", "input.nmae");
    // A warning: the schema of the input allows members that it doesn't name.
    await tab.shows(/1 warning/, ".oxe-toolbar");
    await tab.fill("Recipient", "input.name");
    await tab.shows(/No problems/, ".oxe-toolbar");
    await tab.shows(/^Saved$/, ".oxe-saving");
    const draft = await definitions.draft(NAME);
    expect(draft.document["nodes"]).toMatchObject({
      text: {
        type: "phone.text@1",
        params: {
          recipient: { $path: "input.name" },
          text: "Wake up",
          urgency: "high",
          repeats: 2,
        },
      },
    });
    const mistaken = { send: { type: "phone.txt@1", params: {} } };
    expect(await definitionProblems({ ...draft.document, nodes: mistaken })).toEqual([
      'UNKNOWN_NODE_TYPE: Did you mean "phone.text@1"?',
    ]);

    // The documentation.
    const docs = await oxbow(["catalog", "docs", "phone.text", "--url", server.url], {
      env: { QUEUE_TOKEN: secretOf("let-me-in") },
    });
    expect(docs.stdout).toMatch(
      /^## Send a text message\n\n`phone\.text@1`\n\nSends a text message/,
    );
    expect(docs.stdout).toContain(
      "| `recipient` | text | Recipient. Required. Such as `+44 20 7946 0018`. |",
    );

    // A run.
    await tab.press("Publish…");
    await tab.press("Publish");
    await tab.shows(/Version 1 is published/, ".oxe-notices");
    const run = await definitions.start(NAME, { name: "Ada" });
    await run.result({ timeout: "60s" });
    expect(sent).toEqual([
      {
        params: { recipient: "Ada", text: "Wake up", urgency: "high", repeats: 2 },
        key: "a-key-of-the-carrier",
        idempotencyKey: expect.any(String) as string,
      },
    ]);

    async function definitionProblems(document: Readonly<Record<string, unknown>>) {
      const answer = await fetch(`${server.url}/v1/definitions/${NAME}/validate`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${secretOf("let-me-in")}`,
        },
        body: JSON.stringify({ document }),
      });
      const { problems } = (await answer.json()) as {
        problems: readonly { code: string; hint: string }[];
      };
      return problems.map(({ code, hint }) => `${code}: ${hint}`);
    }
  });
}
