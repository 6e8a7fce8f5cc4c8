/** Writes `src/api/schema.ts`, the types of the client, from the OpenAPI document of the server: `npm run build:client`. */
import { writeFileSync } from "node:fs";
import openapiTs, { astToString, type OpenAPI3 } from "openapi-typescript";
import { parseTokens, startServer } from "../server/src/index.ts";

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

const types = await openapiTs((await readDocument()) as OpenAPI3, { alphabetize: true });
// Neither queries nor JSON have what is undefined: an optional member may be given so.
const text = astToString(types).replaceAll(
  /\?: (?!never)([^{};]+|\{\s+\[key: string\]: unknown;\s+\});/g,
  "?: $1 | undefined;",
);
writeFileSync(
  new URL("src/api/schema.ts", import.meta.url),
  `/* Made by \`npm run build:client\` from the schemas in server/src/routes: change them there. */\n${text}`,
);
