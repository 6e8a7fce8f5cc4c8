/** What holds in each view: accessible in both themes, and at the width of a phone. */
import axe from "axe-core";
import { expect, it } from "vitest";
import { type EditorTab, openEditor } from "./world.ts";

async function violations(tab: EditorTab): Promise<readonly string[]> {
  // The policy allows no script of ours in the page, and the protocol of the browser is none of the page's.
  await tab.page.evaluate(axe.source);
  const results = (await tab.page.evaluate(
    "axe.run(document.querySelector('.oxbow-editor'))",
  )) as axe.AxeResults;
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`,
  );
}

const VIEWS: readonly (readonly [string, (tab: EditorTab) => Promise<unknown>])[] = [
  ["the canvas", (tab) => tab.page.waitForSelector(".react-flow__node")],
  ["a step", (tab) => tab.page.click('.react-flow__node[data-id="page"]')],
  ["a branch", (tab) => tab.page.click('.react-flow__node[data-id="answered"]')],
  ["the list", (tab) => tab.press("List")],
  [
    "the choice of a step",
    async (tab) => {
      await tab.page.focus(".oxe-title");
      await tab.keys("/");
      await tab.page.waitForSelector(".oxe-choice");
    },
  ],
  ["publishing", (tab) => tab.press("Publish…")],
];

export function describeEveryView(): void {
  it.each(VIEWS)("is accessible in both themes: %s", async (_name, show) => {
    const tab = await openEditor("page-on-major");
    await show(tab);
    for (const value of ["light", "dark"]) {
      await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      expect(await violations(tab)).toEqual([]);
    }
  });

  it("fits the width of a phone", async () => {
    const tab = await openEditor("page-on-major");
    await tab.page.setViewport({ width: 390, height: 780 });
    await tab.press("List");
    await tab.press("Publish…");
    await tab.shows(/first version/, ".oxe-dialog");
    const width = await tab.page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
  });
}
