/** The frame of each page. */
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";
import { openTab, world } from "./world.ts";

export function describeShell(): void {
  it("asks for a token once, refuses a wrong one, and forgets it on request", async () => {
    const tab = await openTab("#/runs", { token: "" });
    await tab.shows(/This server asks for a token/, ".dialog");
    await tab.fill("Token", "wrong");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/The token is invalid/, ".dialog");
    await tab.fill("Token", secretOf("let-me-in"));
    await tab.page.keyboard.press("Enter");
    await tab.shows(/Started/);
    await tab.press("Sign out");
    await tab.shows(/This server asks for a token/, ".dialog");
  });

  it("shows that a copy is one, until it is released", async () => {
    const copy = await createDatabase();
    await copy.query("select queue.hold_incarnation('a test')");
    const held = await startTestServer(copy);
    const tab = await openTab("", { url: held.url, token: "" });
    await tab.shows(/a copy, and held/, ".banner");
    await copy.query("select queue.release_incarnation('live')");
    await eventually(
      () => tab.count(".banner"),
      (count) => count === 0,
    );
  });

  it("goes anywhere by the keyboard alone: a run by its id, a workflow, a page", async () => {
    const { runId } = await world().bench.client.start("order", undefined);
    const tab = await openTab("");
    await tab.shows(/Overview/);
    const { keyboard } = tab.page;
    const goTo = async (text: string): Promise<void> => {
      await keyboard.down("Control");
      await keyboard.press("k");
      await keyboard.up("Control");
      await tab.page.waitForSelector(".palette-input");
      await keyboard.type(text);
      await keyboard.press("Enter");
    };
    await goTo(runId);
    await tab.shows(new RegExp(`^order ${runId}`));
    await goTo("runs of flaky");
    await tab.shows(/^Runs of flaky/);
    await goTo("queues");
    await tab.shows(/^Queues/);
    expect(await tab.count("main:focus")).toBe(1);
  });

  it("remembers the theme and the time zone", async () => {
    const { runId } = await world().bench.client.start("order", undefined);
    const tab = await openTab(`#/runs/${runId}`);
    await tab.shows(/Started/);
    await tab.page.select("select[aria-label=Theme]", "dark");
    await tab.page.select("select[aria-label='Time zone']", "UTC");
    const background = (): Promise<string> =>
      tab.page.$eval(
        "body",
        (body) =>
          (
            globalThis as unknown as {
              getComputedStyle(of: unknown): { readonly backgroundColor: string };
            }
          ).getComputedStyle(body).backgroundColor,
      );
    expect(await background()).toBe("rgb(16, 23, 26)");
    await tab.page.reload();
    await tab.shows(/Started/);
    expect(await background()).toBe("rgb(16, 23, 26)");
    const { startedAt } = await world().bench.client.runs.find(runId);
    await tab.shows(new RegExp(startedAt.toISOString().slice(11, 19)));
  });

  it("reports that a page doesn't exist", async () => {
    const tab = await openTab("#/nonsense");
    await tab.shows(/There is no such page/);
  });
}
