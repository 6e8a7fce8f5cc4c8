/** Endpoints of functions. The test checks them in place of a server. */
import { it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { openTab, world } from "./world.ts";

const TARGET = "https://shop.example.org/api/oxbow";

export function describeEndpoints(): void {
  it("are added, checked, paused, resumed and removed", async () => {
    const { client, database } = world().bench;
    const tab = await openTab("#/endpoints");
    await tab.shows(/No endpoint yet[^]*npx oxbow endpoints add/);
    await tab.press("Add an endpoint");
    await tab.fill("Url", "ftp://example.org");
    await tab.press("Add");
    await tab.shows(/Invalid url "ftp:\/\/example\.org"/, ".dialog .problem");
    await tab.fill("Url", TARGET);
    await tab.fill("Concurrency", "5");
    await tab.press("Add");
    await tab.shows(/shop\.example\.org[^]*OXBOW_SIGNING_KEY[^]*5/);

    const [endpoint] = await client.endpoints.list();
    const id = endpoint?.endpointId;
    const take = "select endpoint_id from queue.endpoints_to_check()";
    await database.query(take);
    await database.query("select queue.endpoint_failed($1, '404 Not Found')", [id]);
    await tab.shows(/failing[^]*404 Not Found/);
    const press = (action: string): Promise<void> =>
      tab.page.locator(`button[aria-label="${action} ${TARGET}"]`).click();
    await press("Check");
    await tab.shows(/A server will check endpoint \d+/, ".notes");
    await eventually(() => database.query(take), { length: 1 });
    // Again, because a check that the real server had begun, without a key, may report after it.
    await eventually(
      async () => {
        await database.query("select queue.endpoint_checked($1, $2, 60000, '1.2.3')", [
          id,
          JSON.stringify({ order: [1, 2] }),
        ]);
        return tab.text();
      },
      (text) => /order v1, v2[^]*checked[^]*1\.2\.3/.test(text),
    );

    await press("Pause");
    await tab.shows(/paused/);
    await press("Resume");
    await tab.shows(/checked[^]*Check\s+Pause/);
    await press("Remove");
    await tab.press("Remove the endpoint");
    await tab.shows(/No endpoint yet/);
  });
}
