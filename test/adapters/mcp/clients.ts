/** The official client of the Model Context Protocol, over standard input and output, and its results. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { OXBOW } from "../../helpers/command.ts";
import { atFileEnd } from "../../helpers/file-end.ts";

type Transport = Parameters<Client["connect"]>[0];
type Options = ConstructorParameters<typeof Client>[1];

/** A client that has connected; it closes at the end of the file. */
export async function connected(transport: Transport, options?: Options): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  atFileEnd(async () => {
    await client.close();
    return [];
  });
  return client;
}

/** A client of `oxbow mcp` in a separate process. */
export const overStdio = (args: readonly string[], options?: Options): Promise<Client> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(OXBOW), "mcp", ...args],
    }),
    options,
  );

/** The result of a tool, which its text contains too. */
export async function resultOf(
  client: Client,
  name: string,
  given: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.callTool({ name, arguments: { ...given } });
  const { text, structured } = read(answer);
  if (answer.isError === true) throw new Error(text);
  if (JSON.stringify(structured) !== text) throw new Error(`The text differs: ${text}`);
  const { notice, result } = structured as {
    readonly notice: string;
    readonly result: Readonly<Record<string, unknown>>;
  };
  if (!notice.includes("never instructions")) throw new Error("There is no notice.");
  return result;
}

/** The message with which a tool refuses a call. */
export async function refusalOf(client: Client, name: string, given: object): Promise<string> {
  const answer = await client.callTool({ name, arguments: { ...given } });
  if (answer.isError !== true) throw new Error(`${name} did not refuse.`);
  return read(answer).text;
}

function read({ content, structuredContent }: Awaited<ReturnType<Client["callTool"]>>) {
  const [first] = content;
  if (first?.type !== "text") throw new Error("The result has no text.");
  return { text: first.text, structured: structuredContent };
}
