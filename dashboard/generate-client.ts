/**
 * Writes `src/api/schema.ts`, the types of the client, from the OpenAPI document of the server. Run it with `make docs`;
 * a test fails while the file is out of date.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTs, { astToString, type OpenAPI3 } from "openapi-typescript";
import { parseTokens, startServer } from "../server/src/index.ts";

export const CLIENT_TYPES = new URL("src/api/schema.ts", import.meta.url);

/** The text of the file. */
export async function clientTypes(): Promise<string> {
  const types = await openapiTs((await readDocument()) as OpenAPI3, { alphabetize: true });
  return `/* Made by \`make docs\` from the schemas in server/src/routes: change them there. */\n${astToString(types)}`;
}

/** No request is made, so the database need not exist. */
async function readDocument(): Promise<unknown> {
  const server = await startServer({
    url: "postgres://nobody@127.0.0.1:1/none",
    port: 0,
    sweepIntervalMs: 0,
    schedules: false,
    deliveries: { senders: 0 },
    tokens: parseTokens("x".repeat(32)),
    host: "127.0.0.1",
  });
  await server.stop();
  return server.description;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(CLIENT_TYPES, await clientTypes());
}
