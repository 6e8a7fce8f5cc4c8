/** Requests whose values would be stored as other ones. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const database = await createDatabase();
const server = await startTestServer(database);
await server.post("/v1/queues", { name: "orders" });

const send = (body: string) => server.request("POST", "/v1/queues/orders/messages", { body });

describe("a number that a double can't hold", () => {
  it.each([
    [
      '{"message": {"total": 1e999}}',
      "body.message.total is 1e999, which is too large for a number",
    ],
    [
      '[{"message": 1}, {"message": {"ids": [1, 9007199254740993]}}]',
      "body[1].message.ids[1] is 9007199254740993, which a number can't hold exactly: it would become 9007199254740992. Give it as a string.",
    ],
    ['{"message": 1, "delaySeconds": 1e-999}', "body.delaySeconds is 1e-999, which is too small"],
  ])("is refused with its path: %s", async (body, detail) => {
    expect(await send(body)).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", detail: expect.stringContaining(detail) as string },
    });
  });

  it("is refused in a query", async () => {
    expect(
      await server.get("/v1/queues/orders/messages?matching=%5B9007199254740993%5D"),
    ).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("[0] is 9007199254740993") as string },
    });
    const search = "/v1/workflows/none/runs?input.user.id=9007199254740993";
    expect(await server.get(search)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("input.user.id is 9007199254740993") as string },
    });
  });
});

it("numbers that are exact, and texts of others, are stored as they are", async () => {
  const message =
    '{"id": "9007199254740993", "big": 9007199254740992, "small": 5e-324, "pi": 3.14159265358979323846}';
  expect((await send(`{"message": ${message}}`)).status).toBe(201);
  const [row] = await database.query("select message from queue.peek('orders')");
  expect(row?.["message"]).toEqual(JSON.parse(message));
});

it("a body that is no UTF-8 is refused", async () => {
  const response = await fetch(`${server.url}/v1/queues/orders/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array(Buffer.from('{"message": "Zoë"}', "latin1")),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: "INVALID_JSON",
    detail: "The body is not valid UTF-8: encode it as UTF-8.",
  });
});
