/** The field for conditions outside of workflows, in a form of the application. */
import axe from "axe-core";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { type EditorTab, openPage } from "./world.ts";

const FORM = ".acme-policy";

async function openPolicy(page = "paging-policy", before?: EditorTab): Promise<EditorTab> {
  const tab = await openPage(page, before?.page.browserContext());
  await tab.page.waitForSelector(`${FORM} textarea`);
  return tab;
}

const maySave = async (tab: EditorTab, may: boolean): Promise<void> => {
  await tab.page.waitForSelector(`${FORM} button[type=submit]${may ? ":enabled" : ":disabled"}`);
};

const saved = (tab: EditorTab): Promise<unknown> =>
  tab.page.evaluate("localStorage.getItem('acme-paging-policy')");

export function describeConditions(): void {
  it("reports mistakes and what may fail in place, and is saved without errors", async () => {
    const tab = await openPolicy();
    await tab.fill("Page when", "incident.severity.name >= 3");
    await tab.shows(/Error:\s+>= doesn't apply to text and a whole number/, FORM);
    await tab.page.waitForSelector(`${FORM} textarea[aria-invalid="true"]`);
    expect(await tab.text(`${FORM} mark.error`)).toContain("incident.severity.name");
    await maySave(tab, false);

    await tab.fill("Page when", "incident.feilds.service == 'production'");
    await tab.shows(/Did you mean "fields"/, FORM);
    await tab.fill("Page when", "resource('Severty', '01FD7').rank > 2");
    await tab.shows(/Did you mean "Severity"/, FORM);

    await tab.fill("Page when", "incident.lead == 'Ada'");
    await tab.shows(/Warning:.*lead/s, FORM);
    await maySave(tab, true);

    const condition = "incident.severity.rank >= resource('Severity', '01FD7').rank";
    await tab.fill("Page when", condition);
    await eventually(
      () => tab.text(FORM),
      (text) => !/Error|Warning/.test(text),
    );
    await tab.press("Save");
    await maySave(tab, false);
    expect(await saved(tab)).toBe(condition);
    await tab.fill("Page when", "");
    await maySave(tab, false);
    expect(await tab.text(FORM)).not.toMatch(/Error/);
  });

  it("completes the paths of values, with their types", async () => {
    const tab = await openPolicy();
    await tab.fill("Page when", "");
    await tab.type("Page when", "incident.sev");
    const offered = await tab.shows(/severity\.rank/, ".oxe-values");
    expect(offered).toMatch(/incident\.severity\.rank\s+a whole number/);
    await tab.keys("ArrowDown", "ArrowDown", "ArrowDown");
    await tab.keys("Enter");
    await tab.type("Page when", " > 2");
    await tab.press("Save");
    expect(await saved(tab)).toBe("incident.severity.rank > 2");
    // Values that may be missing come on request, with the reason.
    await tab.type("Page when", "");
    await tab.control(" ");
    await tab.shows(/more that may be missing/, ".oxe-values");
  });

  it("reports a saved condition that is no longer valid, before anything is typed", async () => {
    const tab = await openPolicy();
    await tab.page.evaluate(
      "localStorage.setItem('acme-paging-policy', 'incident.severity.name >= 3')",
    );
    const again = await openPolicy("paging-policy", tab);
    await again.shows(/This policy pages nobody/, FORM);
    await again.fill("Page when", "incident.severity.rank > 2");
    await maySave(again, true);
    await again.press("Save");
    expect(await again.text(FORM)).not.toMatch(/pages nobody/);
  });

  it("can be read, selected and copied by users who may not change it", async () => {
    const tab = await openPolicy("paging-policy/shown");
    await tab.page.focus(`${FORM} textarea`);
    await tab.control("a");
    await tab.keys("Delete");
    await tab.control(" ");
    expect(await tab.page.evaluate("getSelection().toString()")).toMatch(/^incident\.severity/);
    expect(await tab.count(`${FORM} :is(button, .oxe-values)`)).toBe(0);
    expect(await tab.page.evaluate(`document.querySelector("${FORM} textarea").value`)).toMatch(
      /production'$/,
    );
  });

  it("is accessible in both themes, beside other fields of a form", async () => {
    const tab = await openPolicy();
    await tab.fill("Page when", "incident.severity.name >= 3");
    await tab.shows(/Error/, FORM);
    await tab.page.evaluate(axe.source);
    for (const theme of ["light", "dark"]) {
      await tab.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      const { violations } = (await tab.page.evaluate(
        `axe.run(document.querySelector('${FORM}'))`,
      )) as axe.AxeResults;
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
    await tab.page.setViewport({ width: 390, height: 780 });
    expect(await tab.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
      390,
    );
    const { height } = (await (await tab.page.$(`${FORM} .oxe-condition`))?.boundingBox()) ?? {};
    expect(height).toBeLessThan(320);
  });
}
