/** Routes of an application by which `useChat` starts runs, and finds them again. */
import type { WorkflowClient } from "@oxbow/sdk";
import {
  IdempotencyConflict,
  type InputOf,
  InvalidArgument,
  type Workflow,
} from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/ai";
import type { UIMessage } from "ai";
import { chatAnswer } from "./chat-answer.ts";
import { hashOf } from "./step-names.ts";

/** The input of a workflow that answers a chat. */
export interface ChatInput<Message extends UIMessage = UIMessage> {
  readonly chatId: string;
  readonly messages: Message[];
}

/** How the routes of a chat behave. */
export interface ChatRoutesOptions {
  /**
   * A message that arrives during an answer: `reject` (the default) refuses it with 409, `interrupt` cancels the answer, and
   * `queue` answers it next. A workflow whose messages queue has the flow control `{ key: "chatId", concurrencyPerKey: 1 }`,
   * which reads the input: a codec must not hide it.
   */
  readonly whileBusy?: "reject" | "interrupt" | "queue";
  /** Whether the sender of a request may use a chat; a 403 answers others. Default: any sender may use any chat. */
  readonly authorize?: (request: Request, chatId: string) => boolean | PromiseLike<boolean>;
}

const OPTIONS: OptionNames<ChatRoutesOptions> = { whileBusy: true, authorize: true };

/** Handlers of requests, as frameworks take them. They know no users: check them first, or by `authorize`. */
export interface ChatRoutes {
  /** `POST /api/chat`: starts a run for the question, and streams its answer. */
  POST(this: void, request: Request): Promise<Response>;
  /** `GET /api/chat/{id}/stream`: streams the answer in progress from its beginning; 204 if there is no answer in progress. */
  GET(this: void, request: Request): Promise<Response>;
}

/**
 * Makes the routes that `useChat({ resume: true })` expects. Each question starts a run of the workflow, with the id of the chat
 * as its idempotency key: a chat has one answer at a time. If messages queue, each has its own run, which waits for its turn
 * without a worker.
 *
 * @param workflow Its input is a `ChatInput`, or a part of it.
 * @throws InvalidArgument for an invalid option, or if messages queue and the workflow doesn't answer one after the other.
 * @example
 * export const { POST } = chatRoutes(createWorkflowClient(), support);
 */
export function chatRoutes<Definition extends Workflow>(
  client: Pick<WorkflowClient, "start" | "runs">,
  workflow: ChatInput<never> extends InputOf<Definition> ? Definition : never,
  options: ChatRoutesOptions = {},
): ChatRoutes {
  checkOptions(options, OPTIONS, "chatRoutes()");
  const { whileBusy = "reject", authorize } = options;
  checkWhileBusy(whileBusy, workflow);
  if (authorize !== undefined && typeof authorize !== "function") {
    throw new InvalidArgument("Invalid authorize of chatRoutes(): give a function.");
  }
  const isQueued = whileBusy === "queue";
  const refusalOf = async (request: Request, chatId: string): Promise<Response | undefined> =>
    authorize === undefined || (await authorize(request, chatId))
      ? undefined
      : refuse(403, `You may not use chat ${JSON.stringify(chatId)}.`);
  return {
    POST: async (request) => {
      const input = toInput(await request.json().catch(() => null));
      if (typeof input === "string") return refuse(400, input);
      const refusal = await refusalOf(request, input.chatId);
      if (refusal !== undefined) return refusal;
      try {
        const { chatId, messages } = input;
        const { runId } = await client.start<Definition>(workflow, input as InputOf<Definition>, {
          onEnded: "start-new",
          ...(isQueued
            ? { idempotencyKey: keyOf(chatId, messages), tags: { chatId } }
            : {
                idempotencyKey: chatId,
                onRunning: whileBusy === "interrupt" ? "cancel-existing" : "fail",
              }),
        });
        return chatAnswer(client, runId, request.signal);
      } catch (error) {
        if (!(error instanceof IdempotencyConflict)) throw error;
        return refuse(409, `Chat ${JSON.stringify(input.chatId)} is being answered.`);
      }
    },
    GET: async (request) => {
      const chatId = idOf(request.url);
      if (chatId === undefined) return refuse(404, "The path must end with /{id}/stream.");
      const refusal = await refusalOf(request, chatId);
      if (refusal !== undefined) return refusal;
      const chat = isQueued ? { tags: { chatId } } : { idempotencyKey: chatId };
      let oldest: string | undefined;
      for await (const { runs } of client.runs.list({ workflow, ...chat, status: "running" })) {
        oldest = runs.at(-1)?.runId ?? oldest;
      }
      if (oldest === undefined) return new Response(null, { status: 204 });
      return chatAnswer(client, oldest, request.signal);
    },
  };
}

function checkWhileBusy(whileBusy: unknown, { name, flowControl }: Workflow): void {
  if (!["reject", "interrupt", "queue"].includes(whileBusy as string)) {
    throw new InvalidArgument(
      `Invalid whileBusy ${JSON.stringify(whileBusy)} of chatRoutes(): give "reject", "interrupt" or "queue".`,
    );
  }
  if (
    whileBusy === "queue" &&
    !(flowControl?.["key"] === "chatId" && flowControl["concurrency_per_key"] === 1)
  ) {
    throw new InvalidArgument(
      `Messages can't queue for workflow "${name}", which may answer several at a time: give it flowControl: { key: "chatId", concurrencyPerKey: 1 }.`,
    );
  }
}

/** The same for a request that is sent twice. A key has at most 512 characters. */
const keyOf = (chatId: string, messages: readonly UIMessage[]): string =>
  `${chatId.slice(0, 490)} ${hashOf([chatId, messages])}`;

/** The input of a run; text with the reason if the body has no such input. */
function toInput(body: unknown): ChatInput | string {
  const { id, messages } = (body ?? {}) as { readonly id?: unknown; readonly messages?: unknown };
  if (typeof id !== "string" || id === "" || id.length > 512) {
    return "The id of the chat must be text of 1 to 512 characters.";
  }
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isMessage)) {
    return "The messages must be a list of UI messages, each with role and parts.";
  }
  return { chatId: id, messages: messages as UIMessage[] };
}

const isMessage = (each: unknown): boolean =>
  typeof each === "object" && each !== null && "role" in each && "parts" in each;

/** The id in a path such as `/api/chat/{id}/stream`. */
function idOf(url: string): string | undefined {
  const [, id] = /\/([^/]+)\/stream\/?$/.exec(new URL(url).pathname) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status });
