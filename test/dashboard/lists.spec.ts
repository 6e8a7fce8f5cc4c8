/** Queues, topics and schedules. */
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { subscribe } from "../helpers/topics.ts";
import { openTab, world } from "./world.ts";

export function describeLists(): void {
  describe("queues", () => {
    it("show the counts of their messages", async () => {
      const { database } = world().bench;
      await database.query("select queue.create_queue('mail'), queue.send('mail', '{}')");
      const tab = await openTab("#/queues");
      await tab.shows(/mail\s+standard\s+1/);
    });
  });

  describe("schedules", () => {
    it("show when they tick", async () => {
      const { client } = world().bench;
      await client.schedules.create({ name: "nightly", workflow: "order", cron: "0 3 * * *" });
      const tab = await openTab("#/schedules");
      await tab.shows(/nightly[^]*0 3 \* \* \*/);
    });
  });

  describe("topics", () => {
    it("show failing subscriptions, and enable them again", async () => {
      const { database } = world().bench;
      const id = await subscribe(database, "paid.#", { http: "https://example.org/hook" });
      await database.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
      const tab = await openTab("#/topics");
      await tab.shows(/paid\.#[^]*disabled[^]*status 500/);
      await tab.press("Enable");
      await eventually(
        () => tab.text(),
        (text) => !text.includes("disabled"),
      );
    });

    it("show no password of a url", async () => {
      const { database } = world().bench;
      await subscribe(database, "private.#", { http: "https://user:pass@example.org/hook" });
      const tab = await openTab("#/subscriptions");
      const text = await tab.shows(/private\.#/);
      expect(text).toContain("https://user:***@example.org/hook");
      expect(tab.page.url()).toMatch(/#\/topics$/);
    });
  });
}
