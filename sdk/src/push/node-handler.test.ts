import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { workflow } from "../worker/serve.ts";
import { createHandler } from "./handler.ts";
import { toNodeHandler } from "./node-handler.ts";

const MEBIBYTE = Buffer.alloc(1024 * 1024, 32);

it("a body over the limit whose length is unknown is read to its end, and refused", async () => {
  const idle = workflow({ name: "idle", run: () => Promise.resolve() });
  const listener = toNodeHandler(createHandler({ workflows: [idle], signingKey: "k".repeat(32) }));
  const server = createServer((asked, answer) => void listener(asked, answer));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method: "POST", agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject);
    for (let part = 0; part < 20; part += 1) sent.write(MEBIBYTE);
    sent.end();
  });
  expect(status).toBe(413);
});
