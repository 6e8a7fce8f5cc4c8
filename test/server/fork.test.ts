import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

it("a held copy is shown, and released once", async () => {
  const database = await createDatabase();
  await database.query("select queue.workflow_start('kept')");
  const server = await startTestServer(database, { secrets: "look:read,all" });
  const shown = async () =>
    (await server.request("GET", "/v1/incarnation", { token: "look" })).body.incarnation;
  const release = (token: string, body: object) =>
    server.request("POST", "/v1/incarnation/release", { token, body });

  const live = await shown();
  expect(live).toMatchObject({ state: "live", guarded: false });
  await database.query("select queue.hold_incarnation('a test')");
  expect(await shown()).toMatchObject({ id: live.id, state: "held", origin: "a test" });

  expect(await release("look", { as: "sandbox" })).toMatchObject({ status: 403 });
  expect(await release("all", { as: "nothing" })).toMatchObject({ status: 400 });
  const released = await release("all", { as: "sandbox", timers: "hold" });
  expect(released.body).toMatchObject({ released: true, captured: 0 });
  expect(await shown()).toMatchObject({
    id: released.body.id,
    parentId: live.id,
    state: "sandbox",
  });
  expect((await release("all", { as: "live" })).body).toMatchObject({ released: false, id: null });
});

it("a sandbox lists a request with a body of more than a MiB", async () => {
  const database = await createDatabase();
  const [run] = await database.query<{ id: string }>(
    "select run_id::text as id from queue.workflow_start('sends')",
  );
  const server = await startTestServer(database, { secrets: "all" });
  await database.query("select queue.hold_incarnation('a test')");
  await database.query("select queue.release_incarnation('sandbox')");
  const { status, body } = await server.request("POST", "/v1/worker/captures", {
    token: "all",
    body: {
      runId: run?.id,
      key: "large",
      method: "POST",
      url: "https://example.com",
      headers: {},
      body: "x".repeat(2 ** 21),
    },
  });
  expect({ status, body }).toEqual({ status: 200, body: { captured: true } });
});
