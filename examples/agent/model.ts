/**
 * The model: that of `MODEL`, such as `openai/gpt-5`, through the AI Gateway; else one that needs no network. It answers by a
 * script, word by word, in the name of `ASSISTANT`, and calls the tools that the question and their results call for.
 */
import { setTimeout as pause } from "node:timers/promises";
import { gateway, type LanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

type StreamResult = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>;
type Part = StreamResult["stream"] extends ReadableStream<infer Each> ? Each : never;
type Prompt = Parameters<MockLanguageModelV4["doStream"]>[0]["prompt"];

const WORD_MS = 80;

export function chooseModel(): LanguageModel {
  const { MODEL = "", ASSISTANT = "Olga" } = process.env;
  if (MODEL !== "") return gateway(MODEL);
  return new MockLanguageModelV4({
    modelId: "scripted",
    doStream: ({ prompt, abortSignal }) =>
      Promise.resolve({
        stream: ReadableStream.from(speak(prompt, answerTo(prompt, ASSISTANT), abortSignal)),
      }),
  });
}

interface Answer {
  readonly text?: string;
  readonly call?: readonly [name: string, input: object];
}

/** A product, or an order of it. */
interface Found {
  readonly product: string;
  readonly price: number;
  readonly order?: number;
}

interface ToolResult {
  readonly name: string;
  readonly value: unknown;
  readonly error: string | undefined;
}

/** The next words of the model, and the tool that it calls. */
function answerTo(prompt: Prompt, assistant: string): Answer {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const question = JSON.stringify(prompt[asked]?.content ?? "");
  const isRefund = /refund|money|broken/i.test(question);
  const { name, value, error } = resultsIn(prompt.slice(asked)).at(-1) ?? {};
  switch (name) {
    case undefined: {
      const kind = isRefund || /order/i.test(question) ? "orders" : "products";
      return { call: ["search", { kind, text: "" }] };
    }
    case "search": {
      const found = value as readonly Found[];
      const [, number] = /order\s+(\d+)/i.exec(question) ?? [];
      const bought = found.find(({ order }) => String(order) === number) ?? found[0];
      if (!isRefund || bought?.order === undefined) {
        const list = found.map((each) =>
          each.order === undefined
            ? `${each.product} for ${each.price} euros`
            : `order ${each.order} of ${each.product}`,
        );
        return {
          text: `Hello, this is ${assistant}. This is what I have found: ${list.join(", ")}.`,
        };
      }
      const { order, product, price } = bought;
      return {
        text: `Hello, this is ${assistant}. I have found your order ${order}: ${product}, for ${price} euros. I am sorry that it is not as it should be. I ask my colleagues to pay your money back. They look at each refund themselves, which may take a while. You may close this page: my answer continues without it, and you find it when you come back.`,
        call: ["refund", { order }],
      };
    }
    case "refund": {
      if (error !== undefined) {
        return { text: `I am sorry, I can't pay your money back. The reason: ${error}` };
      }
      const { sum } = value as { readonly sum: number };
      return {
        call: ["sendMail", { subject: "Your refund", text: `We paid ${sum} euros back to you.` }],
      };
    }
    default: {
      return {
        text: "Your refund is approved, and the money is on its way. The details are in the mail that I have sent to you.",
      };
    }
  }
}

function resultsIn(prompt: Prompt): ToolResult[] {
  return prompt
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .flatMap((part): ToolResult[] => {
      if (part.type !== "tool-result") return [];
      const { toolName: name, output } = part;
      if (output.type === "error-text") {
        return [{ name, value: null, error: output.value.replace(/^Error: /, "") }];
      }
      return [{ name, value: "value" in output ? output.value : null, error: undefined }];
    });
}

/** An answer as the model streams it. */
async function* speak(
  prompt: Prompt,
  { text, call }: Answer,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part> {
  const words = text?.split(/(?<= )/) ?? [];
  if (words.length > 0) yield { type: "text-start", id: "0" };
  for (const delta of words) {
    await pause(WORD_MS, undefined, { signal });
    yield { type: "text-delta", id: "0", delta };
  }
  if (words.length > 0) yield { type: "text-end", id: "0" };
  if (call !== undefined) {
    const [toolName, input] = call;
    const toolCallId = `call-${crypto.randomUUID().slice(0, 8)}`;
    yield { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
  }
  const asked = JSON.stringify(prompt).split(" ").length;
  const said = words.length + (call === undefined ? 0 : 5);
  yield {
    type: "finish",
    usage: {
      inputTokens: { total: asked, noCache: asked, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: said, text: said, reasoning: undefined },
    },
    finishReason: { unified: call === undefined ? "stop" : "tool-calls", raw: undefined },
  };
}
