/** Saving by revision, conflicts, publishing and versions. */
import { expect, it } from "vitest";
import { openEditor } from "./world.ts";

export function describeSaving(): void {
  it("merges what two tabs change in different places", async () => {
    const left = await openEditor("page-on-major");
    const right = await openEditor("page-on-major", left.page.browserContext());
    await left.page.bringToFront();
    await left.page.locator('.react-flow__node[data-id="mail"]').click();
    await left.fill("Step name", "Mail everyone");
    await left.draft(({ nodes }) => nodes["mail"]?.["title"] === "Mail everyone");
    await right.page.bringToFront();
    await right.page.locator('.react-flow__node[data-id="inform"]').click();
    await right.fill("Step name", "Inform them");
    await right.shows(/were merged with yours/, ".oxe-notices");
    const { nodes } = await right.draft(
      (draft) => draft.nodes["inform"]?.["title"] === "Inform them",
    );
    expect(nodes["mail"]?.["title"]).toBe("Mail everyone");
    // Undo takes back only the own change.
    await right.button("Undo");
    const undone = await right.draft((draft) => draft.nodes["inform"]?.["title"] !== "Inform them");
    expect(undone.nodes["mail"]?.["title"]).toBe("Mail everyone");
  });

  it("asks which side to keep where both changed one step, and loses neither", async () => {
    const left = await openEditor("page-on-major");
    const right = await openEditor("page-on-major", left.page.browserContext());
    await left.page.bringToFront();
    await left.page.locator('.react-flow__node[data-id="inform"]').click();
    await left.fill("Step name", "From the left");
    await left.draft(({ nodes }) => nodes["inform"]?.["title"] === "From the left");
    await right.page.bringToFront();
    await right.page.locator('.react-flow__node[data-id="inform"]').click();
    await right.fill("Step name", "From the right");
    const text = await right.shows(/From the left/, ".oxe-dialog");
    expect(text).toMatch(/Step .*Mine.*From the right.*Theirs.*From the left/s);
    const stored = await left.draft();
    expect(stored.nodes["inform"]?.["title"]).toBe("From the left");
    await right.page.locator(".oxe-sides label:nth-child(2) input").click();
    await right.press("Keep these");
    await right.draft(({ nodes }) => nodes["inform"]?.["title"] === "From the left");
  });

  it("publishes what the dialog shows, compares versions, and restores one", async () => {
    const tab = await openEditor("page-on-major");
    await tab.press("Publish…");
    await tab.shows(/This is the first version/, ".oxe-dialog");
    await tab.press("Publish");
    await tab.shows(/Version 1 is published/, ".oxe-notices");
    await tab.page.locator('.react-flow__node[data-id="inform"]').click();
    await tab.fill("Step name", "Inform everyone");
    await tab.draft(({ nodes }) => nodes["inform"]?.["title"] === "Inform everyone");
    await tab.press("Publish…");
    const changes = await tab.shows(/Inform everyone/, ".oxe-dialog");
    expect(changes).toMatch(/title\s+Inform the channel\s+Inform everyone/);
    await tab.press("Publish");
    await tab.shows(/Version 2 is published/, ".oxe-notices");
    await tab.press("Versions");
    await tab.page.waitForSelector(".oxe-comparison .react-flow__node");
    await tab.select(".oxe-compare label:first-child select", "1");
    await tab.page.waitForSelector(".oxe-comparison .is-changed");
    await tab.press("Restore version 1");
    await tab.draft(({ nodes }) => nodes["inform"]?.["title"] === "Inform the channel");
  });

  it("publishes nothing that has errors, and leads to them", async () => {
    const tab = await openEditor("page-on-major");
    await tab.page.locator('.react-flow__node[data-id="page"]').click();
    await tab.choose("API key", "");
    await tab.shows(/1 error/, ".oxe-toolbar");
    await tab.press("Publish…");
    await tab.shows(/An error prevents publishing/, ".oxe-dialog");
    expect(await tab.count(".oxe-dialog .oxe-primary:disabled")).toBe(1);
    await tab.page.locator(".oxe-refused button").click();
    await tab.shows(/"key" is missing/, ".oxe-inspector");
  });
}
