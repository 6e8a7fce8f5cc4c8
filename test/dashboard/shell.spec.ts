/** The frame of each page. */
import { expect, it } from "vitest";
import { atLeast, eventually, including } from "../helpers/eventually.ts";
import { createDatabase } from "../helpers/database.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";
import { subscribe } from "../helpers/topics.ts";
import { openTab, world } from "./world.ts";

/** A machine so busy that frames and tasks come late. */
const BUSY = `{
  const inTime = requestAnimationFrame;
  globalThis.requestAnimationFrame = (draw) =>
    inTime(() => setTimeout(() => draw(performance.now()), 100));
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (...message) {
    setTimeout(() => post.apply(this, message), 100);
  };
  addEventListener("focusin", ({ target }) => {
    if (target.closest("[aria-hidden=true]") !== null) console.warn("focus in what is hidden");
  });
}`;

export function describeShell(): void {
  it("asks for a token once, refuses a wrong one, and forgets it on request", async () => {
    const tab = await openTab("#/runs", { token: "" });
    await tab.shows(/This server asks for a token/, ".dialog");
    await tab.fill("Token", "wrong");
    await tab.page.keyboard.press("Enter");
    await tab.shows(/The token is invalid/, ".dialog .problem");
    await tab.fill("Token", secretOf("let-me-in"));
    await tab.page.keyboard.press("Enter");
    await tab.shows(/Started/);
    await tab.press("Sign out");
    await tab.shows(/This server asks for a token/, ".dialog");
  });

  it("shows that a copy is one, releases it, and shows what it captures", async () => {
    const copy = await createDatabase();
    await copy.query("select queue.hold_incarnation('a test')");
    const held = await startTestServer(copy);
    const tab = await openTab("", { url: held.url, token: "" });
    await tab.shows(/a copy, and held/, ".banner");
    await tab.press("Look at the fork");
    await tab.shows(/^Fork[^]*held[^]*a test/);
    await tab.press("Release…");
    await tab.select("select[name=as]", "live");
    await tab.fill("Confirmation", "yes");
    await tab.press("Release as live");
    await tab.shows(/Type live to confirm/, ".dialog .problem");
    await tab.select("select[name=as]", "sandbox");
    await tab.press("Release as a sandbox");
    await tab.shows(/Released as a sandbox/, ".notes");
    await tab.shows(/Captured deliveries[^]*Nothing was captured/);
    await subscribe(copy, "caught", { http: "https://example.org/hook" });
    await copy.query("select queue.send_topic('caught', '{\"n\": 1}')");
    await tab.shows(/caught\s+https:\/\/example\.org\/hook/);
    await tab.shows(/is a sandbox/, ".banner");
  });

  it("keeps the figures of the overview while those of another minute are read", async () => {
    const tab = await openTab("#/fork");
    await tab.page.evaluateOnNewDocument(`{
      const inTime = Date.now;
      globalThis.skippedMs = 0;
      Date.now = () => inTime() + globalThis.skippedMs;
    }`);
    await tab.page.setRequestInterception(true);
    let isSlow = false;
    let waiting = 0;
    tab.page.on("request", (request) => {
      if (isSlow && request.url().endsWith("/v1/runs/search")) waiting += 1;
      else void request.continue();
    });
    await tab.goTo("");
    await tab.shows(/Start to end, p50/, ".last-hour");
    await tab.shows(/Nothing in the last hour|since/, ".attention");
    isSlow = true;
    await tab.page.evaluate("globalThis.skippedMs = 60_000");
    await eventually(() => waiting, atLeast(2));
    expect(await tab.text()).not.toMatch(/Loading…/);
  });

  it("leaves out what a token may not do", async () => {
    const { client, database } = world().bench;
    const { runId } = await client.start("order", undefined);
    await database.query("select queue.create_queue('looked-at')");
    await client.schedules.create({ name: "seen", workflow: "order", cron: "0 3 * * *" });
    const tab = await openTab(`#/runs/${runId}`, { token: "reader" });
    const admin = await openTab(`#/runs/${runId}`);
    const pages: readonly (readonly [string, RegExp, RegExp])[] = [
      [`#/runs/${runId}`, /Timeline/, /Cancel…|Rerun…|Signal…|Pause…/],
      ["#/runs", /Columns…/, /Start a run|Change…/],
      ["#/queues/looked-at", /Messages/, /Send a message|Purge…|Redrive…/],
      ["#/topics", /Who would get this\?/, /Publish a message|Subscribe…/],
      ["#/schedules", /seen/, /Create a schedule|Run now|Delete/],
    ];
    for (const [address, shown, hidden] of pages) {
      await admin.goTo(address);
      await admin.shows(hidden);
      await tab.goTo(address);
      await tab.settled();
      const text = await tab.shows(shown);
      expect([address, hidden.exec(text)]).toEqual([address, null]);
    }
    await tab.goTo("#/deliveries");
    await tab.shows(/lacks the scope[^]*Sign in with a token that has this scope/);
    for (const section of ["Deliveries", "Endpoints"]) {
      expect(await tab.text("nav[aria-label=Main]")).not.toContain(section);
      expect(await admin.text("nav[aria-label=Main]")).toContain(section);
    }
  });

  it("lists the workers with what they serve", async () => {
    const tab = await openTab("");
    await tab.shows(/Workers[^]*live\s+\d+ of 100\s+[^]*order v1/);
  });

  it("goes anywhere by only the keyboard: a run by its id, a workflow, a page", async () => {
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
    await tab.select("select[aria-label=Theme]", "dark");
    await tab.select("select[aria-label='Time zone']", "UTC");
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

  it("shows the current section on a phone, where the sections are a row that scrolls", async () => {
    const tab = await openTab("#/audit");
    await tab.page.setViewport({ width: 360, height: 720 });
    await tab.page.reload();
    await tab.shows(/^Audit/);
    const isShown = (): Promise<boolean> =>
      tab.page.$eval("nav [aria-current=page]", (element) => {
        const { left, right } = (
          element as unknown as { getBoundingClientRect(): { left: number; right: number } }
        ).getBoundingClientRect();
        return left >= 0 && right <= 360;
      });
    await eventually(isShown, true);
    await tab.goTo("#/");
    await tab.shows(/^Overview/);
    await eventually(isShown, true);
  });

  it("moves the focus into a dialog before it hides the page, and back after it shows it again", async () => {
    const tab = await openTab("");
    const { keyboard, accessibility } = tab.page;
    await tab.page.evaluateOnNewDocument(BUSY);
    await tab.page.reload();
    const focusMovesTo = (selector: string): Promise<number> =>
      eventually(async () => {
        // Chromium logs a focus in what is hidden when it computes what screen readers see.
        await accessibility.snapshot();
        return tab.count(`${selector}:focus`);
      }, 1);
    const opener = "main .buttons button.primary";
    const openDialog = async (field: string): Promise<void> => {
      const button = await tab.page.waitForSelector(opener);
      await button?.evaluate((element) => {
        const shown = element as unknown as { focus(): void; click(): void };
        shown.focus();
        shown.click();
      });
      await focusMovesTo(`.dialog ${field}`);
    };

    await tab.goTo("#/topics");
    await tab.shows(/^Topics/);
    await openDialog("input");
    await keyboard.press("Escape");
    await focusMovesTo(opener);
    await openDialog("input");
    await tab.fill("Topic", "nobody.listens");
    await tab.fill("Message", "{}");
    await tab.press("Publish");
    await focusMovesTo(opener);

    await tab.goTo("#/schedules");
    await tab.shows(/^Schedules/);
    await openDialog("input");
    await tab.fill("Name", "awaited");
    await tab.fill("Workflow", "order");
    await tab.fill("When", "0 3 * * *");
    await tab.press("Create");
    await focusMovesTo(opener);
  });

  it("opens a dialog without the keyboard of a phone", async () => {
    const tab = await openTab("#/topics");
    await tab.page.setViewport({ width: 390, height: 800, isMobile: true, hasTouch: true });
    await tab.page.reload();
    const button = await tab.page.waitForSelector("main .buttons button.primary");
    await button?.tap();
    await tab.page.waitForSelector(".dialog:focus");
    expect(await tab.count(".dialog input")).toBeGreaterThan(0);
  });

  it("reads again when the user returns from another window", async () => {
    const { database } = world().bench;
    const tab = await openTab("");
    // Nothing is read by the clock.
    await tab.page.evaluateOnNewDocument("globalThis.setInterval = () => 0;");
    await tab.page.reload();
    await tab.goTo("#/queues");
    await tab.settled();
    await database.query("select queue.create_queue('made-elsewhere')");
    await eventually(async () => {
      await tab.page.evaluate('dispatchEvent(new Event("focus"))');
      return tab.text();
    }, including("made-elsewhere"));
  });

  it("reports that a page doesn't exist", async () => {
    const tab = await openTab("#/nonsense");
    await tab.shows(/There is no such page/);
  });
}
