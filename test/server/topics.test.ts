import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const server = await startTestServer(await createDatabase());

it("a queue is subscribed to a pattern, gets what is published, and is unsubscribed", async () => {
  await server.post("/v1/queues", { name: "audit" });
  const pattern = `/v1/topics/${encodeURIComponent("orders.#")}`;
  const subscribed = await server.post(`${pattern}/subscriptions`, {
    type: "queue",
    target: "audit",
    filter: { paid: true },
  });
  expect(subscribed.status).toBe(201);
  const { subscriptionId } = subscribed.body;
  expect((await server.get(`${pattern}/subscriptions`)).body.subscriptions).toMatchObject([
    { subscriptionId, pattern: "orders.#", type: "queue", target: "audit", filter: { paid: true } },
  ]);

  const publish = (message: object) =>
    server.post("/v1/topics/orders.eu.new/messages", { message });
  expect((await publish({ paid: false })).body).toEqual({ targets: 0 });
  expect((await publish({ paid: true })).body).toEqual({ targets: 1 });
  expect((await server.post("/v1/queues/audit/receive")).body.messages).toMatchObject([
    { message: { paid: true } },
  ]);

  const end = () => server.request("DELETE", `${pattern}/subscriptions/${subscriptionId}`);
  expect((await end()).status).toBe(204);
  expect(await end()).toMatchObject({ status: 404, body: { code: "SUBSCRIPTION_NOT_FOUND" } });
});

it("a subscription of an unknown type is refused with the types that there are", async () => {
  const path = "/v1/topics/orders.new/subscriptions";
  const { status, body } = await server.post(path, { type: "nowhere", target: "audit" });
  expect(status).toBe(400);
  expect(body.detail).toBe("body/type must be one of queue, http, workflow.");
});

it("a workflow is subscribed by its name, and started once for each combination", async () => {
  await server.post("/v1/topics/incident.*/subscriptions", {
    type: "workflow",
    name: "handle-incident",
    options: { once_for: ["incident.id"] },
  });
  for (const id of [1, 1, 2]) {
    await server.post("/v1/topics/incident.raised/messages", { message: { incident: { id } } });
  }
  expect((await server.get("/v1/workflows/handle-incident/runs")).body.runs).toHaveLength(2);
});

it("the targets of a message are listed without publishing it", async () => {
  await server.post("/v1/topics/parcel.*/subscriptions", { type: "workflow", name: "track" });
  const { body } = await server.post("/v1/topics/parcel.sent/targets", { message: { id: 1 } });
  expect(body.targets).toMatchObject([
    {
      pattern: "parcel.*",
      targetType: "workflow",
      target: "track",
      input: { id: 1 },
      problem: null,
    },
  ]);
  expect((await server.get("/v1/workflows/track/runs")).body.runs).toEqual([]);
  expect(await server.post("/v1/topics/parcel.*/targets", { message: 1 })).toMatchObject({
    status: 400,
  });
});

it.each([
  ["orders..new", { type: "queue", target: "audit" }, 400],
  ["orders.new", { type: "pigeon", target: "audit" }, 400],
  ["orders.new", { type: "queue" }, 400],
  ["orders.new", { type: "queue", target: "not-there" }, 404],
  ["orders.new", { type: "http", url: "ftp://example.com" }, 400],
])("a subscription of %s by %j is refused", async (pattern, body, status) => {
  expect(await server.post(`/v1/topics/${pattern}/subscriptions`, body)).toMatchObject({ status });
});
