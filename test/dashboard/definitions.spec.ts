/** Definitions and their editor, over the REST API. */
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
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
    const { document } = (await client.definitions.version("built-here")) ?? {};
    expect(document).toMatchObject({ nodes: { delay: { params: { for: "5m" } } } });
    await tab.goTo("#/definitions");
    await tab.shows(/built-here\s+Built here\s+published\s+1/);
    await tab.page.locator('::-p-aria([name="Pause built-here"])').click();
    await tab.shows(/built-here\s+Built here\s+paused/);
    await tab.page.locator('::-p-aria([name="Resume built-here"])').click();
    await tab.shows(/built-here\s+Built here\s+published/);
  });

  it("are merged where two tabs change one, and compared with what is published", async () => {
    const { definitions } = world().bench.client;
    const nodes = { one: { type: "set@1" }, two: { type: "set@1" } };
    await definitions.create({ format: 1, name: "shared", nodes });
    const left = await openTab("#/definitions/shared");
    const right = await openTab("#/definitions/shared");
    await left.page.waitForSelector('.react-flow__node[data-id="one"]');
    await right.page.waitForSelector('.react-flow__node[data-id="two"]');
    await left.page.click('.react-flow__node[data-id="one"]');
    await left.fill("Step name", "Left");
    await left.shows(/^Saved$/, ".oxe-saving");
    await right.page.click('.react-flow__node[data-id="two"]');
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

  it("show what the server refuses", async () => {
    const tab = await openTab("#/definitions", { token: "reader" });
    await tab.press("Create a definition");
    await tab.fill("Name", "refused");
    await tab.press("Create");
    await tab.shows(/lacks the scope/, ".dialog");
  });
}
