/** Users who sign in at a provider. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { expect, it } from "vitest";
import { signInAt, startOpenIdProvider } from "../helpers/openid-provider.ts";
import { startTestServer } from "../helpers/server.ts";
import type { Tab } from "../helpers/tab.ts";
import { openTab, world } from "./world.ts";

export function describeSignIn(): void {
  it("leads to the provider and back to the same page, and signs out at both", async () => {
    const { tab, provider } = await openForUsers("#/runs?workflow=order");
    await provider.setRoles("ada", "admins");
    await tab.shows(/This server asks who you are/, ".dialog");
    // The provider's button has the focus, the token is folded away.
    await tab.page.waitForSelector(".dialog a.button:focus");
    expect(await tab.text(".dialog")).not.toContain("OXBOW_TOKENS");
    await signIn(tab, "ada");
    await tab.shows(/^Runs of order/);
    await tab.shows(/ada@example\.com/, ".tools");

    // The browser sends the cookie by itself, and the page the CSRF token.
    await tab.goTo("#/queues");
    await tab.shows(/Queues/);
    const { client } = world().bench;
    const { runId } = await client.start("order", { order: 1 });
    await tab.goTo(`#/runs/${runId}`);
    await tab.press("Pause…");
    await tab.press("Pause the run");
    await tab.shows(/paused/);

    await tab.goTo("#/audit");
    await tab.shows(new RegExp(`ada@example\\.com user[^]*run\\.pause[^]*run ${runId}`));

    await tab.press("Sign out");
    await tab.page.waitForSelector("button[name=logout]");
    await tab.page.locator("button[name=logout]").click();
    await tab.shows(/This server asks who you are/, ".dialog");
    // The provider asks who it is, too.
    await tab.page.locator(".dialog a.button").click();
    await tab.page.waitForSelector("input[name=user]");
  });

  it("goes on where the session has expired, with the roles of then", async () => {
    const { tab, provider } = await openForUsers("#/queues", { refreshMs: 1_000 });
    await provider.setRoles("bob", "admins");
    await tab.shows(/This server asks who you are/, ".dialog");
    await signIn(tab, "bob");
    await tab.shows(/^Queues/);
    await provider.setRoles("bob");
    await tab.shows(/bob@example\.com has no role on this server/, ".dialog");
  });

  it("shows why a user is refused", async () => {
    const { tab, provider } = await openForUsers("#/queues");
    await provider.setRoles("eve", "strangers");
    await tab.shows(/This server asks who you are/, ".dialog");
    await signIn(tab, "eve");
    await tab.shows(/Sign-in failed[^]*eve@example\.com has no role[^]*"strangers"/);
    expect(
      await tab.page.$eval("link", (link) => Boolean((link as { sheet?: unknown }).sheet)),
    ).toBe(true);
    await tab.press("go to the dashboard");
    await tab.shows(/This server asks who you are/, ".dialog");
  });
}

async function openForUsers(address: string, more: { readonly refreshMs?: number } = {}) {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const provider = await startOpenIdProvider(`${url}/`);
  await startTestServer(world().bench.database, {
    port,
    host: "localhost",
    signIn: { ...signInAt(provider, `${url}/`), ...more },
  });
  const tab = await openTab(address, { url, token: "", mayVisit: provider.issuer });
  return { tab, provider };
}

async function signIn(tab: Tab, user: string): Promise<void> {
  await tab.page.locator(".dialog a.button").click();
  await tab.page.locator("input[name=user]").fill(user);
  await tab.page.locator("button").click();
  await tab.page.waitForSelector("main");
}
