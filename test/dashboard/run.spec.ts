/** The page of a run. */
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { openTab, world } from "./world.ts";

const start = async (name: string, input?: unknown): Promise<string> =>
  (await world().bench.client.start(name, input)).runId;

export function describeRun(): void {
  it("follows a run live to its end, and shows its output as text", async () => {
    const runId = await start("order");
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/Waits for event/);
    await world().bench.client.signal(runId, "shipped", {});
    await tab.shows(/notify[^]*<b>a lot<\/b>/);
    await tab.shows(/completed/, "main .title");
  });

  it("shows the last steps of a run whose end it reads before their events", async () => {
    const runId = await start("order");
    const tab = await openTab("#/runs");
    await tab.page.setRequestInterception(true);
    tab.page.on("request", (request) => {
      // Their stream never begins, as if it were slow.
      if (!request.url().endsWith("/events")) void request.continue();
    });
    await tab.goTo(`#/runs/${runId}`);
    await tab.shows(/Waits for event/);
    await world().bench.client.signal(runId, "shipped", {});
    await tab.shows(/completed/, "main .title");
    await tab.shows(/notify[^]*<b>a lot<\/b>/);
  });

  it("explains why a run is not moving", async () => {
    const waiting = await openTab(`#/runs/${await start("order")}`);
    await waiting.shows(
      /Why is this run not moving\?\s+Step "wait:shipped|Step .* waits for event "shipped"/,
    );
    const unserved = await openTab(`#/runs/${await start("nosuch")}`);
    await unserved.shows(/No worker has ever served workflow "nosuch"/);
  });

  it("leads from a run that waits for a child to the child", async () => {
    const runId = await start("parent");
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/waits for the end of run \d+ of workflow "order"/);
    await tab.page.locator(".why a").click();
    await tab.shows(/^order \d+/);
  });

  describe("actions", () => {
    it("pause, resume and cancel", async () => {
      const runId = await start("order");
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/waiting/, "main .title");
      await tab.press("Pause…");
      await tab.fill("Reason", "the bank is closed");
      await tab.press("Pause the run");
      await tab.shows(/paused/, "main .title");
      await tab.shows(/The run was paused: the bank is closed/);
      await tab.press("Resume");
      await tab.shows(/waiting/, "main .title");
      await tab.press("Cancel…");
      await tab.press("Close");
      expect((await world().bench.client.runs.find(runId)).status).toBe("running");
      await tab.press("Cancel…");
      await tab.press("Cancel the run");
      await tab.shows(/cancelled/, "main .title");
    });

    it("signal an event that the run waits for", async () => {
      const runId = await start("order");
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/Waits for event/);
      await tab.press("Signal…");
      await tab.fill("Payload", '{"parcel": 1}');
      await tab.press("Send");
      await tab.shows(/Event "shipped" delivered/, ".notes");
      await tab.shows(/completed/, "main .title");
    });

    it("retry a failed run", async () => {
      const runId = await start("flaky", { key: "retried" });
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/the first time it fails/, "main .problem");
      await tab.press("Retry");
      await tab.shows(/Output[^]*mended/);
    });

    it("rerun with another input, from a form", async () => {
      const runId = await start("flaky", { key: "rerun" });
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/failed/, "main .title");
      await tab.press("Rerun…");
      await tab.fill("Input", '{"key": "rerun", "again": true}');
      await tab.press("Start the new run");
      await tab.shows(new RegExp(`Repeats\\s+${runId}`));
      await tab.shows(/"again": true[^]*mended/);
    });

    it("rerun from a step with another input: the steps before it keep their results", async () => {
      const runId = await start("booking", { room: "blue" });
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/completed/, "main .title");
      await tab.press("Rerun…");
      await tab.select("select[name=fromStep]", "confirm");
      await tab.fill("Input", '{"room": "red"');
      await tab.press("Start the new run");
      await tab.shows(/The input is not JSON/, ".dialog .problem");
      await tab.fill("Input", '{"room": "red"}');
      await tab.press("Start the new run");
      await tab.shows(new RegExp(`Repeats\\s+${runId}`));
      await tab.shows(/"confirmed red"/);
      // The journal is read again once the run has ended.
      const text = await tab.shows(/find[^]*"found": ?"blue"[^]*reserve[^]*"reserved blue"/);
      expect(text).toMatch(/Input[^]*"room": "red"/);
    });

    it("cancel with the rollbacks of what was done", async () => {
      const runId = await start("booking", { room: "green", waits: true });
      const tab = await openTab(`#/runs/${runId}`);
      await tab.shows(/Waits for event/);
      await tab.press("Cancel…");
      await tab.fill("Reason", "the guest is ill");
      await tab.page.locator("input[name=rollback]").click();
      await tab.press("Cancel the run");
      await tab.shows(/cancelled/, "main .title");
      await tab.shows(/the guest is ill/);
      await tab.shows(/rollback:reserve|reserve[^]*rollback/i, "main");
      const steps = await world().bench.client.runs.steps(runId);
      expect(steps.map(({ kind }) => kind)).toContain("rollback");
    });

    it("need no mouse: from the list to a run, its signal, and its cancellation", async () => {
      const tags = { by: "keyboard" };
      const { client } = world().bench;
      const first = await client.start("order", undefined, { tags });
      const tab = await openTab("#/runs?tags=by%3Dkeyboard");
      const { keyboard } = tab.page;
      const active = (): Promise<string> =>
        tab.page.evaluate(
          "(({ labels, innerText, name }) => labels?.[0]?.innerText ?? (innerText || name || ''))(document.activeElement)",
        ) as Promise<string>;
      const tabTo = (label: string): Promise<unknown> =>
        eventually(async () => {
          await keyboard.press("Tab");
          return (await active()).trim();
        }, label);
      await tab.shows(new RegExp(first.runId));
      await tabTo(first.runId);
      await keyboard.press("Enter");
      await tab.shows(/Waits for event/);
      await tabTo("Signal…");
      await keyboard.press("Enter");
      await tab.page.waitForSelector(".dialog [name=event]");
      await tabTo("Payload");
      await keyboard.type('{"parcel": 1}');
      await tabTo("Send");
      await keyboard.press("Enter");
      await tab.shows(/completed/, "main .title");
      // The dialog gives the focus back, or the page has it: not the browser's frame.
      const second = await client.start("order", undefined, { tags });
      await tab.goTo(`#/runs/${second.runId}`);
      await tab.shows(/Waits for event/);
      await tabTo("Cancel…");
      await keyboard.press("Space");
      await tab.page.waitForSelector(".dialog");
      await keyboard.press("Escape");
      await tab.page.waitForSelector(".dialog", { hidden: true });
      expect(await active()).toBe("Cancel…");
      await keyboard.press("Enter");
      await tab.page.waitForSelector(".dialog");
      await tabTo("Cancel the run");
      await keyboard.press("Enter");
      await tab.shows(/cancelled/, "main .title");
    });
  });

  it("shows a megabyte of output a screen at a time, and finds a word in it", async () => {
    const runId = await start("large", { rows: 20_000 });
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/completed/, "main .title");
    await tab.shows(/customer 0/);
    expect(await tab.count(".json-line")).toBeLessThan(200);
    await tab.fill("Search in Output", "customer 19999");
    await tab.shows(/1 of 1/);
    await tab.shows(/"customer 19999"/);
    await tab.press("Collapse all");
    await tab.shows(/\{ 3 properties \}/);
  });

  it("shows the journal with the value of each step", async () => {
    const runId = await start("large", { rows: 3 });
    const tab = await openTab(`#/runs/${runId}`);
    await tab.press("produce");
    await tab.shows(/Step produce[^]*customer 2/, ".dialog");
    await tab.page.keyboard.press("Escape");
    await eventually(() => tab.count(".dialog"), 0);
  });

  it("shows the state and the stream of a run", async () => {
    const runId = await start("talks");
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/"progress": 50/);
    await tab.press("Stream");
    await tab.shows(/first words, last words/);
  });

  it("says that a run doesn't exist", async () => {
    const tab = await openTab("#/runs/999999");
    await tab.shows(/Run 999999 doesn't exist/);
  });
}
