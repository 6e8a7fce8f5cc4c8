import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { InFlight } from "./in-flight.ts";

const LONG_MS = 60_000;

it("ends with the connection, also for a request that waits behind another one", async () => {
  const inFlight = new InFlight();
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    inFlight.add(response);
    responses.push(response);
    if (responses.length === 2) server.emit("both");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const both = once(server, "both");
  socket.write("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n");
  await both;
  let isDrained = false;
  const drained = inFlight.drained(LONG_MS).then(() => {
    isDrained = true;
  });
  responses[0]?.end();
  await once(responses[0] as ServerResponse, "close");
  expect(isDrained).toBe(false);
  socket.destroy();
  await drained;
  await inFlight.drained(LONG_MS);
  server.close();
});
