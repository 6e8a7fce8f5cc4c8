/**
 * The answer of an agent as a durable stream of the run.
 *
 *   D1  The run's stream has the chunks of a UI message stream: text and reasoning from the calls of the model, the rest
 *       from the body. A replay writes the same, or a reset replaces it.
 */
import type { Context } from "@oxbow/sdk/runtime";
import { type Agent, createAgentUIStream, type UIMessage, type UIMessageChunk } from "ai";
import { storableIn } from "./journal-form.ts";
import { LIVE } from "./live-deltas.ts";
import { nextStepName } from "./step-names.ts";

/** An agent of the AI SDK, such as a `ToolLoopAgent`, whatever its tools and options. */
export interface StreamingAgent {
  readonly version: Agent["version"];
  readonly tools: object;
  stream: (options: never) => PromiseLike<unknown>;
}

/** Chunks that calls of the model write, and pieces of what the body writes as a whole. */
const ELSEWHERE: ReadonlySet<string> = new Set([...LIVE, "tool-input-start", "tool-input-delta"]);

/**
 * Runs an agent on the messages of a chat, writes its answer to the stream of the run, and returns it. The model of the agent
 * must be made by `durableModel`, which writes the text.
 *
 * @returns The message of the assistant.
 * @throws The error of the model or of the body, after an `error` chunk. Errors of tools go to the model.
 * @example
 * run: (ctx, { messages }) => streamDurably(ctx, new ToolLoopAgent({ model: durableModel(ctx, openai("gpt-5")) }), messages)
 */
export async function streamDurably<Message extends UIMessage>(
  ctx: Pick<Context, "step" | "stream" | "runId" | "generation">,
  agent: StreamingAgent,
  messages: readonly Message[],
): Promise<Message> {
  let answer: UIMessage | undefined;
  let failure: unknown;
  const messageId = nextStepName(ctx, "message", `${ctx.runId}.${ctx.generation}`)
    .replaceAll(" ", "-")
    .replace("#", "");
  // Before the first text.
  ctx.stream.write({ type: "start", messageId } satisfies UIMessageChunk);
  const chunks = await createAgentUIStream({
    agent: agent as Agent,
    uiMessages: [...messages],
    generateMessageId: () => messageId,
    sendStart: false,
    redactToolErrors: false,
    onError: (error) => {
      failure = error;
      return error instanceof Error ? error.message : String(error);
    },
    onEnd: ({ responseMessage }) => {
      answer = responseMessage;
    },
  });
  for await (const chunk of chunks) {
    // A tool gets and returns any text.
    if (!ELSEWHERE.has(chunk.type)) ctx.stream.write(storableIn(chunk));
    if (chunk.type === "error") throw failure;
  }
  return storableIn(answer) as Message;
}
