/** Routes of an application by which `useChat` starts runs, and finds them again. */
import type { WorkflowClient } from "@oxbow/sdk";
import { IdempotencyConflict, type InputOf, type Workflow } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/ai";
import type { UIMessage } from "ai";
import { chatAnswer } from "./chat-answer.ts";

/** The input of a workflow that answers a chat. */
export interface ChatInput<Message extends UIMessage = UIMessage> {
  readonly chatId: string;
  readonly messages: Message[];
}

/** How the routes of a chat behave. */
export interface ChatRoutesOptions {
  /** A message that arrives during an answer: `reject` (the default) refuses it with 409, `interrupt` cancels the answer. */
  readonly whileBusy?: "reject" | "interrupt";
}

const OPTIONS: OptionNames<ChatRoutesOptions> = { whileBusy: true };

/** Handlers of requests, as frameworks take them. They check no user: do that first. */
export interface ChatRoutes {
  /** `POST /api/chat`: starts a run for the question, and streams its answer. */
  POST(this: void, request: Request): Promise<Response>;
  /** `GET /api/chat/{id}/stream`: streams the answer in progress from its beginning; 204 if there is no answer in progress. */
  GET(this: void, request: Request): Promise<Response>;
}

/**
 * Makes the routes that `useChat({ resume: true })` expects. Each question starts a run of the workflow, with the id of the chat
 * as its idempotency key: a chat has one answer at a time.
 *
 * @param workflow Its input is a `ChatInput`, or a part of it.
 * @throws InvalidArgument for an invalid option.
 * @example
 * export const { POST } = chatRoutes(createWorkflowClient(), support);
 */
export function chatRoutes<Definition extends Workflow>(
  client: Pick<WorkflowClient, "start" | "runs">,
  workflow: ChatInput<never> extends InputOf<Definition> ? Definition : never,
  options: ChatRoutesOptions = {},
): ChatRoutes {
  checkOptions(options, OPTIONS, "chatRoutes()");
  const { whileBusy = "reject" } = options;
  return {
    POST: async (request) => {
      const input = toInput(await request.json().catch(() => null));
      if (typeof input === "string") return refuse(400, input);
      try {
        const { runId } = await client.start<Definition>(workflow, input as InputOf<Definition>, {
          idempotencyKey: input.chatId,
          onRunning: whileBusy === "interrupt" ? "cancel-existing" : "fail",
          onEnded: "start-new",
        });
        return chatAnswer(client, runId, request.signal);
      } catch (error) {
        if (!(error instanceof IdempotencyConflict)) throw error;
        return refuse(409, `Chat ${JSON.stringify(input.chatId)} is being answered.`);
      }
    },
    GET: async (request) => {
      const idempotencyKey = idOf(request.url);
      if (idempotencyKey === undefined) return refuse(404, "The path must end with /{id}/stream.");
      const filter = { workflow, idempotencyKey, status: "running" as const };
      for await (const { runs } of client.runs.list(filter, { pageSize: 1 })) {
        const [run] = runs;
        if (run !== undefined) return chatAnswer(client, run.runId, request.signal);
      }
      return new Response(null, { status: 204 });
    },
  };
}

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
