import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { HttpConnection } from "../connection.ts";
import { runsOverHttp } from "./transport.ts";

it("continues a list behind its last run where an older server gives no cursor of the page", async () => {
  const runs = [{ runId: "2", cursor: "r2" }];
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ runs }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const connection = new HttpConnection(`http://127.0.0.1:${port}`, undefined);
  onTestFinished(async () => {
    connection.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const transport = runsOverHttp(connection);
  const page = { before: undefined, withValues: false };
  expect(await transport.list({}, { ...page, maxRuns: 1 })).toMatchObject({ before: "r2" });
  expect(await transport.list({}, { ...page, maxRuns: 2 })).toMatchObject({ before: null });
});
