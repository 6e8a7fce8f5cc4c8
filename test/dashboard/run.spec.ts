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

  it("explains why a run is not moving", async () => {
    const waiting = await openTab(`#/runs/${await start("order")}`);
    await waiting.shows(
      /Why is this run not moving\?\s+Step "wait:shipped|Step .* waits for event "shipped"/,
    );
    const unserved = await openTab(`#/runs/${await start("nosuch")}`);
    await unserved.shows(/No worker has ever served version 1 of workflow "nosuch"/);
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
    await eventually(
      () => tab.count(".dialog"),
      (count) => count === 0,
    );
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
