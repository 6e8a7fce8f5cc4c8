/** Checking in a web worker, or in the page without one. */
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { type EditorTab, openEditor } from "./world.ts";

/** Makes a mistake in a parameter, sees it reported at the step, and corrects it. */
async function mistake(tab: EditorTab): Promise<void> {
  await tab.shows(/No problems/, ".oxe-toolbar");
  await tab.page.locator(".react-flow__node").click();
  await tab.choose("How Channel gets its value", "cel");
  await tab.fill("Channel", "nodes.nothing.output.ts");
  await tab.shows(/1 error/, ".oxe-toolbar");
  await tab.fill("Channel", "'general'");
  await tab.shows(/No problems/, ".oxe-toolbar");
}

/** From the next key press to the error in the toolbar; runs in the page. */
const TIME_TO_PROBLEM = `globalThis.timed = new Promise((resolve) => {
  let begun;
  addEventListener("keydown", () => { begun = performance.now(); }, { capture: true, once: true });
  const button = document.querySelector(".oxe-problems-button");
  const observer = new MutationObserver(() => {
    if (!button.textContent.includes("error")) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - begun));
  });
  observer.observe(button, { childList: true, characterData: true, subtree: true, attributes: true });
}); 0`;

interface Used {
  /** CPU time of the thread that draws and runs scripts. */
  readonly page: number;
  /** CPU time of all its threads. */
  readonly all: number;
}

/** Reads the CPU time that the process of a tab has used, in milliseconds. */
async function cpuOf({ page }: EditorTab): Promise<() => Promise<Used>> {
  const ofPage = await page.createCDPSession();
  await ofPage.send("Performance.enable", { timeDomain: "threadTicks" });
  const ofBrowser = await page.browser().target().createCDPSession();
  return async () => {
    const { metrics } = await ofPage.send("Performance.getMetrics");
    const { processInfo } = await ofBrowser.send("SystemInfo.getProcessInfo");
    const task = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    const renderers = processInfo.filter(({ type }) => type === "renderer");
    const all = renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    return { page: task * 1_000, all: all * 1_000 };
  };
}

export function describeChecks(): void {
  it("are made by a web worker", async () => {
    const tab = await openEditor("many-20");
    await mistake(tab);
    const workers = tab.page.workers().map((worker) => worker.url());
    expect(workers).toEqual([expect.stringMatching(/check-worker/)]);
  });

  it("report a number that is out of range at its field", async () => {
    const tab = await openEditor("many-20");
    await tab.shows(/No problems/, ".oxe-toolbar");
    await tab.page.locator(".react-flow__node").click();
    await tab.fill("Attempts", "6");
    await tab.shows(/1 error/, ".oxe-toolbar");
    await tab.shows(/6 is more than 5\. Enter a number of at least 1 and at most 5\./, ".oxe-form");
    await tab.page.waitForSelector('input[aria-label="Attempts"][aria-invalid="true"]');
    await tab.fill("Attempts", "5");
    await tab.shows(/No problems/, ".oxe-toolbar");
  });

  it.skipIf(process.env["OXBOW_MEASURE"] === undefined)(
    "report a mistake among a thousand steps soon after it is typed",
    async () => {
      const tab = await openEditor("many-1000");
      await tab.shows(/No problems/, ".oxe-toolbar");
      await tab.page.locator(".react-flow__node").click();
      await tab.choose("How Channel gets its value", "cel");
      const cpu = await cpuOf(tab);
      const times: number[] = [];
      const used: Used[] = [];
      for (let n = 0; n < 9; n += 1) {
        await tab.fill("Channel", "'general'");
        await tab.shows(/No problems/, ".oxe-toolbar");
        await tab.shows(/^Saved$/, ".oxe-saving");
        await tab.page.focus('[aria-label="Channel"]');
        await tab.page.evaluate(TIME_TO_PROBLEM);
        const before = await cpu();
        await tab.page.keyboard.press("(");
        times.push((await tab.page.evaluate("globalThis.timed")) as number);
        const after = await cpu();
        used.push({ page: after.page - before.page, all: after.all - before.all });
      }
      const sorted = (values: readonly number[]): string =>
        values
          .toSorted((a, b) => a - b)
          .map(Math.round)
          .join(", ");
      process.stdout.write(
        [
          `From a key press to its problem: ${sorted(times)} ms`,
          `CPU of the page's own thread: ${sorted(used.map(({ page }) => page))} ms`,
          `CPU of the whole process, with the worker: ${sorted(used.map(({ all }) => all))} ms\n`,
        ].join("\n"),
      );
    },
  );

  it("leave the page free to respond while the worker is busy", async () => {
    const tab = await openEditor("many-20");
    await tab.shows(/No problems/, ".oxe-toolbar");
    const [worker] = tab.page.workers();
    if (worker === undefined) throw new Error("The page has no worker.");
    // The worker is busy for as long as it likes, and the page neither waits nor gives up typing.
    const busy = worker.evaluate(
      "const end = performance.now() + 3000; while (performance.now() < end) {}",
    );
    await tab.page.locator(".react-flow__node").click();
    await tab.fill("Step name", "Typed during a check");
    await tab.draft(({ nodes }) =>
      Object.values(nodes).some(({ title }) => title === "Typed during a check"),
    );
    await busy;
    await mistake(tab);
  });

  it("end with the worker when another workflow is opened", async () => {
    const tab = await openEditor("many-20");
    await tab.shows(/No problems/, ".oxe-toolbar");
    await tab.goTo("#page-on-major");
    await tab.shows(/Page for major production incidents/, ".oxe-toolbar");
    await tab.shows(/No problems/, ".oxe-toolbar");
    await eventually(() => Promise.resolve(tab.page.workers().length), 1);
  });

  it("are made by the page where the policy forbids workers", async () => {
    const tab = await openEditor("many-20", undefined, { mayHaveWorkers: false });
    await mistake(tab);
    expect(tab.page.workers()).toEqual([]);
  });

  it("are made by the page when the worker dies", async () => {
    const tab = await openEditor("many-20");
    await tab.shows(/No problems/, ".oxe-toolbar");
    const [worker] = tab.page.workers();
    await worker?.evaluate("setTimeout(() => { throw new Error('dead'); })");
    await mistake(tab);
    expect(tab.page.workers()).toEqual([]);
  });
}
