import { createServer, type ServerResponse } from "node:http";
import { ConnectionFailed } from "../../core/errors.ts";
import { expect, it, onTestFinished } from "vitest";
import { HttpConnection } from "./connection.ts";

/** A server whose first answers break off. */
async function setup(breaks: readonly ((response: ServerResponse) => void)[]) {
  let requests = 0;
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
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
  return { connection, port, requests: () => requests, sockets: () => sockets.size };
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
  expect(error).toMatchObject({ facts: { sent: true }, cause: { code: "ECONNRESET" } });
  expect(requests()).toBe(1);
});

it("requests one after another share a connection", async () => {
  const { connection, sockets } = await setup([]);
  for (let n = 0; n < 5; n += 1)
    expect(await connection.ask("/", { body: "{}" })).toEqual({ n: 1 });
  expect(sockets()).toBe(1);
});

it("a write to a port that nobody listens on was not sent", async () => {
  const { connection, port } = await setup([]);
  connection.close();
  const nobody = new HttpConnection(`http://127.0.0.1:${port === 1 ? 2 : 1}`, undefined);
  const error: unknown = await nobody.ask("/", { body: "1" }).catch((thrown: unknown) => thrown);
  nobody.close();
  expect(error).toMatchObject({ facts: { sent: false }, cause: { code: "ECONNREFUSED" } });
});

it.each(["before the answer", "in the middle of the answer"])(
  "a request whose caller gives up %s ends with the caller's reason",
  async (when) => {
    const giveUp = new AbortController();
    const reason = new Error("no longer wanted");
    const { connection } = await setup([
      (response) => {
        if (when === "before the answer") giveUp.abort(reason);
        else response.write('{"n"', () => void setImmediate(() => giveUp.abort(reason)));
      },
    ]);
    await expect(connection.ask("/", { signal: giveUp.signal })).rejects.toBe(reason);
  },
);

it("a stream brings the answer in pieces, and ends with the connection", async () => {
  const { connection } = await setup([
    (response) => {
      response.write("one ");
      setImmediate(() => void response.write("two"));
    },
  ]);
  let text = "";
  const read = async (): Promise<void> => {
    for await (const piece of await connection.stream("/")) {
      text += piece;
      if (text === "one two") connection.close();
    }
  };
  await expect(read()).rejects.toThrow("The client was closed.");
  expect(text).toBe("one two");
});

it("a redirect is not followed", async () => {
  const { connection, requests } = await setup([
    (response) => {
      response.writeHead(302, { location: "/elsewhere" });
      response.end();
    },
  ]);
  await expect(connection.ask("/")).rejects.toThrow("302");
  expect(requests()).toBe(1);
});
