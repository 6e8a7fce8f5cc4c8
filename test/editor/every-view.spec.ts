/** Every view is accessible in both themes, and at the width of a phone. */
import axe from "axe-core";
import { expect, it } from "vitest";
import { type EditorTab, openEditor } from "./world.ts";

/** Rules of axe whose outcome depends on the theme. */
const RULES_OF_COLORS = ["color-contrast", "link-in-text-block"];

/** The findings of axe, by all of its rules or by the given ones. */
async function violations(
  { page }: EditorTab,
  rules?: readonly string[],
): Promise<readonly string[]> {
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const found = (await page.evaluate(
    `axe.run(document.querySelector('.oxbow-editor'), ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as axe.Result[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`);
}

const inTheme = ({ page }: EditorTab, theme: "light" | "dark"): Promise<void> =>
  page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);

/** Each begins where the one before it ends. */
const VIEWS: readonly (readonly [string, (tab: EditorTab) => Promise<unknown>])[] = [
  ["the canvas", (tab) => tab.page.waitForSelector(".react-flow__node")],
  ["a step", (tab) => tab.page.locator('.react-flow__node[data-id="page"]').click()],
  ["a branch", (tab) => tab.page.locator('.react-flow__node[data-id="answered"]').click()],
  ["the list", (tab) => tab.press("List")],
  [
    "the choice of a step",
    async (tab) => {
      await tab.page.focus(".oxe-title");
      await tab.keys("/");
      await tab.page.waitForSelector(".oxe-choice");
    },
  ],
  [
    "publishing",
    async (tab) => {
      await tab.keys("Escape");
      await tab.press("Publish…");
      await tab.page.waitForSelector(".oxe-dialog");
    },
  ],
];

export function describeEveryView(): void {
  it("is accessible in both themes", async () => {
    const tab = await openEditor("page-on-major");
    // The policy allows no script of ours in the page, and the protocol of the browser is not part of the page.
    await tab.page.evaluate(axe.source);
    for (const [view, show] of VIEWS) {
      await show(tab);
      await inTheme(tab, "light");
      const light = await violations(tab);
      await inTheme(tab, "dark");
      const dark = await violations(tab, RULES_OF_COLORS);
      expect({ view, light, dark }).toEqual({ view, light: [], dark: [] });
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

  it("has room around a text that loads and around a value", async () => {
    const tab = await openEditor("page-on-major");
    const paddings = await tab.page.evaluate(`
      [["p", "oxe-loading"], ["pre", "oxe-value"]].map(([tag, className]) => {
        const element = Object.assign(document.createElement(tag), { className });
        document.querySelector(".oxbow-editor").append(element);
        const { padding } = getComputedStyle(element);
        element.remove();
        return padding;
      })`);
    expect(paddings).toEqual(["24px", "6px 8px"]);
  });
}
