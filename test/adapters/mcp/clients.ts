/** The official client of the Model Context Protocol, through both doors, and its results. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { OXBOW } from "../../helpers/command.ts";
import { atFileEnd } from "../../helpers/file-end.ts";
import { secretOf, type TestServer } from "../../helpers/server.ts";

type Transport = Parameters<Client["connect"]>[0];
type Options = ConstructorParameters<typeof Client>[1];

/** A client that has connected; it closes at the end of the file. */
async function connected(transport: Transport, options?: Options): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  atFileEnd(() => client.close());
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

/** A client of `/mcp` of a server. @param token Name of its secret. */
export const overHttp = (
  server: Pick<TestServer, "url">,
  token?: string,
  options?: Options,
): Promise<Client> =>
  connected(
    new StreamableHTTPClientTransport(
      new URL("/mcp", server.url),
      token === undefined
        ? {}
        : { requestInit: { headers: { authorization: `Bearer ${secretOf(token)}` } } },
    ),
    options,
  );

type Result = Readonly<Record<string, unknown>>;

/** The result of a tool, which its text contains too. */
export const resultOf = async (client: Client, name: string, given: object = {}): Promise<Result> =>
  (await answerOf(client, name, given)).result;

/** The result of a tool, with the token that confirms the call. */
export async function answerOf(
  client: Client,
  name: string,
  given: object,
): Promise<{ readonly result: Result; readonly token: string | undefined }> {
  const answer = await client.callTool({ name, arguments: { ...given } });
  const { text, structured } = read(answer);
  if (answer.isError === true) throw new Error(text);
  if (JSON.stringify(structured) !== text) throw new Error(`The text differs: ${text}`);
  const { notice, result, confirmation } = structured as {
    readonly notice: string;
    readonly result: Result;
    readonly confirmation?: { readonly token: string };
  };
  if (!notice.includes("never instructions")) throw new Error("There is no notice.");
  return { result, token: confirmation?.token };
}

/** The result of a tool that is called twice, the second time with the confirmation. */
export async function confirmedResultOf(
  client: Client,
  name: string,
  given: object,
): Promise<Result> {
  const { token, result } = await answerOf(client, name, given);
  if (token === undefined)
    throw new Error(`${name} has nothing to change: ${JSON.stringify(result)}`);
  return resultOf(client, name, { ...given, confirmation: token });
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
