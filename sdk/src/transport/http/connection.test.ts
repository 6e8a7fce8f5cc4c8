import { createServer, type ServerResponse } from "node:http";
import { ConnectionFailed } from "../../core/errors.ts";
import { expect, it, onTestFinished } from "vitest";
import { HttpConnection } from "./connection.ts";

/** A server whose first answers break off. */
async function setup(breaks: readonly ((response: ServerResponse) => void)[]) {
  let requests = 0;
  const server = createServer((_request, response) => {
    const broken = breaks[requests];
    requests += 1;
    if (broken === undefined) response.end('{"n":1}');
    else broken(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  const connection = new HttpConnection(`http://127.0.0.1:${port}`, undefined);
  onTestFinished(async () => {
    connection.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { connection, requests: () => requests };
}

const breakOff =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { "content-length": 100 });
    response.write('{"n"', () => void response.destroy());
  };

it.each([200, 503])(
  "a read whose answer breaks off after the status %i is repeated",
  async (status) => {
    const { connection, requests } = await setup([breakOff(status)]);
    expect(await connection.ask("/", { isRead: true })).toEqual({ n: 1 });
    expect(requests()).toBe(2);
  },
);

it("a write whose answer breaks off is not repeated, and may have been carried out", async () => {
  const { connection, requests } = await setup([breakOff(200)]);
  const error: unknown = await connection
    .ask("/", { body: "1" })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConnectionFailed);
  expect(error).toMatchObject({ facts: { sent: true }, cause: { code: "UND_ERR_SOCKET" } });
  expect(requests()).toBe(1);
});
