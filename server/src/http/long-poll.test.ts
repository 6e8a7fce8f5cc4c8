import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { whileClientWaits } from "./long-poll.ts";

it("nothing is awaited for a client that has disconnected already", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: "127.0.0.1" });
  client.on("error", () => {});
  client.end();
  const [, raw] = (await once(server, "request")) as [unknown, ServerResponse];
  const reply = { raw, server: { stopping: new AbortController().signal } };
  const before = whileClientWaits(reply as unknown as FastifyReply);
  expect(before.aborted).toBe(false);
  client.destroy();
  await once(raw, "close");
  expect(before.aborted).toBe(true);
  expect(whileClientWaits(reply as unknown as FastifyReply).aborted).toBe(true);
});
