/**
 * Tools of a server of the Model Context Protocol as steps.
 *
 *   M1  The list of a server is one step of a run: a replay gets it from the journal, whatever the server offers by then.
 *   M2  A call is a step as that of any tool. A result with `isError` is the result: the model gets it, and no retry
 *       follows. An error of the connection is retried.
 *   M3  The client is used within steps only, so a replay needs no connection.
 */
import type { Context } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames, unlessAborted } from "@oxbow/sdk/internal/ai";
import { dynamicTool, jsonSchema, type Tool, type ToolSet } from "ai";
import { approval, type ApprovalOptions } from "./approval.ts";
import { type DurableToolOptions, durableTools } from "./durable-tools.ts";
import { toJournalForm } from "./journal-form.ts";
import { perRun } from "./per-run.ts";
import { sorted } from "./sorted.ts";
import { nextStepName } from "./step-names.ts";

/** A tool as a server lists it, as far as it is used here. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?:
    | {
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
      }
    | undefined;
}

/** A client of a server: that of the official SDK, or any other object with these methods. */
export interface McpClient {
  listTools(page?: {
    readonly cursor: string;
  }): Promise<{ readonly tools: readonly object[]; readonly nextCursor?: string | undefined }>;
  callTool(
    call: { readonly name: string; readonly arguments: Record<string, unknown> },
    options?: never,
  ): Promise<object>;
}

export interface McpToolsOptions extends Pick<DurableToolOptions, "retry" | "timeout"> {
  /** Names the server in the name of the step that lists its tools. Several servers of a run need several names. Default `"server"`. */
  readonly name?: string;
  /** Precedes the names of the tools. Default: nothing. */
  readonly prefix?: string;
  /** Which calls ask people first, as with `approval()`. Default: no call. */
  readonly approve?: (tool: McpTool) => boolean | ApprovalOptions;
}

const OPTIONS: OptionNames<McpToolsOptions> = {
  name: true,
  prefix: true,
  approve: true,
  retry: true,
  timeout: true,
};

/** The lists of a run, by the names of the servers. */
const listsOf = perRun(() => new Map<string, Promise<readonly McpTool[]>>());

/**
 * Returns the tools of a server of the Model Context Protocol for an agent. The server is asked once per run, in a step, and
 * each call of a tool is a step.
 *
 * @param client A connected client, or a function that returns one: it is called within steps only.
 * @throws InvalidArgument for an invalid option.
 * @example
 * const agent = new ToolLoopAgent({
 *   model: durableModel(ctx, model),
 *   tools: { ...durableTools(ctx, { search }), ...(await durableMcpTools(ctx, client)) },
 * });
 */
export async function durableMcpTools(
  ctx: Pick<Context, "step">,
  client: McpClient | (() => McpClient | PromiseLike<McpClient>),
  options: McpToolsOptions = {},
): Promise<ToolSet> {
  checkOptions(options, OPTIONS, "durableMcpTools()");
  const { name = "server", prefix = "", approve = () => false, ...stepOptions } = options;
  const connect = async (): Promise<McpClient> =>
    typeof client === "function" ? client() : client;
  const listed = await listOnce(ctx, name, async () => {
    const step = nextStepName(ctx, "mcp-tools", name);
    const found = await ctx.step.run(step, async () => listAll(await connect()), stepOptions);
    return sorted(found) as McpTool[];
  });
  const tools = listed.map((tool): [string, Tool] => {
    const asked = approve(tool);
    const plain = toolOf(tool, connect);
    return [
      `${prefix}${tool.name}`,
      asked === false ? plain : approval(plain, asked === true ? {} : asked),
    ];
  });
  const ofEach = Object.fromEntries(tools.map(([key]) => [key, stepOptions]));
  return durableTools(ctx, Object.fromEntries(tools), ofEach);
}

function listOnce(
  ctx: Pick<Context, "step">,
  name: string,
  list: () => Promise<readonly McpTool[]>,
): Promise<readonly McpTool[]> {
  const ofRun = listsOf(ctx);
  const known = ofRun.get(name) ?? list();
  ofRun.set(name, known);
  return known;
}

/** All pages. */
async function listAll(client: McpClient): Promise<unknown[]> {
  const found: McpTool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    found.push(...(page.tools as McpTool[]));
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor))
      throw new Error(`The MCP server returned the cursor "${cursor}" of its tools twice.`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return found.map(({ name, description, inputSchema, annotations }) =>
    toJournalForm({ name, description, inputSchema, annotations }),
  );
}

const toolOf = (
  { name, description, inputSchema }: McpTool,
  connect: () => Promise<McpClient>,
): Tool =>
  dynamicTool({
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchema(inputSchema),
    execute: async (input, { abortSignal: signal }) => {
      const client = await connect();
      const call = { name, arguments: (input ?? {}) as Record<string, unknown> };
      return toJournalForm(await callOnce(client, call, signal));
    },
    toModelOutput: ({ output }) => toModelOutput(output as McpResult),
  });

type Call = Parameters<McpClient["callTool"]>[0];

/** Clients of the official SDK before 2.0 have another second argument: they do not learn of an abort, but no step waits for them. */
function callOnce(client: McpClient, call: Call, signal: AbortSignal | undefined): Promise<object> {
  if (signal === undefined) return client.callTool(call);
  const takesOptions = client.callTool.length > 1;
  const options = (takesOptions ? { signal } : undefined) as never;
  return unlessAborted(client.callTool(call, options), signal);
}

interface McpResult {
  readonly content?: readonly McpContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

interface McpContent {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly text?: string };
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

function toModelOutput({ content = [], structuredContent, isError }: McpResult): ModelOutput {
  if (isError === true) return { type: "error-text", value: content.map(textOf).join("\n") };
  if (content.length === 0) return { type: "json", value: (structuredContent ?? null) as never };
  return {
    type: "content",
    value: content.map((part) =>
      part.data === undefined || part.mimeType === undefined
        ? { type: "text", text: textOf(part) }
        : {
            type: "file",
            mediaType: part.mimeType,
            data: { type: "data", data: part.data },
          },
    ),
  };
}

const textOf = (part: McpContent): string =>
  part.text ?? part.resource?.text ?? JSON.stringify(part);
