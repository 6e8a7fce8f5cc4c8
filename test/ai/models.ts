/** Models of the AI SDK that answer by a script, and note how often they are asked. */
import { APICallError } from "ai";
import { type MockLanguageModelV4 as Mock, MockLanguageModelV4 } from "ai/test";

type StreamResult = Awaited<ReturnType<Mock["doStream"]>>;
export type Part = StreamResult["stream"] extends ReadableStream<infer Each> ? Each : never;
type CallOptions = Parameters<Mock["doStream"]>[0];
type Generated = Awaited<ReturnType<Mock["doGenerate"]>>;

export const USAGE: Generated["usage"] = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

export const finish = (unified: "stop" | "tool-calls" = "stop"): Part => ({
  type: "finish",
  usage: USAGE,
  finishReason: { unified, raw: undefined },
});

/** An answer in pieces. */
export const text = (...pieces: readonly string[]): Part[] => [
  { type: "text-start", id: "0" },
  ...pieces.map((delta): Part => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
  finish(),
];

/** Calls of tools, by name and input. */
export const toolCalls = (...calls: readonly (readonly [string, unknown])[]): Part[] => [
  ...calls.map(([toolName, input], n): Part => ({
    type: "tool-call",
    toolCallId: `call-${n + 1}`,
    toolName,
    input: JSON.stringify(input),
  })),
  finish("tool-calls"),
];

/** How many results of tools the model has been given. */
export const resultsIn = ({ prompt }: CallOptions): number =>
  prompt.filter(({ role }) => role === "tool").length;

export interface ScriptedModel {
  readonly model: Mock;
  /** A prompt for each call. */
  readonly asked: CallOptions[];
}

/** Streams or generates what the script returns for a call. */
export function scripted(
  script: (options: CallOptions, call: number) => Iterable<Part> | AsyncIterable<Part>,
  modelId = "scripted",
): ScriptedModel {
  const asked: CallOptions[] = [];
  const answer = (options: CallOptions): Iterable<Part> | AsyncIterable<Part> => {
    asked.push(options);
    return script(options, asked.length);
  };
  const model = new MockLanguageModelV4({
    modelId,
    doStream: (options) =>
      Promise.resolve().then(() => ({ stream: ReadableStream.from(answer(options)) })),
    doGenerate: async (options) => {
      const content: Generated["content"] = [];
      let said = "";
      for await (const part of answer(options)) {
        if (part.type === "text-delta") said += part.delta;
        if (part.type === "tool-call") content.push(part);
      }
      if (said !== "") content.push({ type: "text", text: said });
      const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
      return { content, usage: USAGE, finishReason: { unified, raw: undefined }, warnings: [] };
    },
  });
  return { model, asked };
}

/** An error of a provider. */
export const apiError = (statusCode: number, headers: Record<string, string> = {}): APICallError =>
  new APICallError({
    message: `status ${statusCode}`,
    url: "https://model.example.com",
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
  });
