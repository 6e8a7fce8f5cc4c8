/**
 * Sends the request of a delivery to the url of a subscription, through the guarded sender.
 *
 * Promises:
 *   X1  It never throws: failures are outcomes.
 *   X2  Redirects are failures.
 *   X3  Of the response only the status and the delay that it requests matter. The beginning of its body is kept for the
 *       log of deliveries, if there is one.
 */
import {
  Forbidden,
  GuardedSender,
  type GuardedSenderOptions,
  parseRetryAfter,
} from "@oxbow/declared/net";
import { messageOf } from "../../message-of.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookOutcome {
  /** Undefined without a response. */
  readonly status?: number;
  /** Undefined: delivered. */
  readonly failure?: string;
  /** No later attempt can succeed. */
  readonly isFinal?: boolean;
  /** Delay that the target requests. */
  readonly retryAfterMs?: number;
  /** The beginning of the body of the response; undefined if it is empty, compressed or not kept. */
  readonly response?: string;
}

export interface WebhookSenderOptions extends GuardedSenderOptions {
  readonly timeoutMs: number;
  /** Whether outcomes have the beginning of the body of the response. Default false. */
  readonly keepsResponses?: boolean;
}

const GONE = 410;
const RESPONSE_CHARACTERS = 500;
/** As many as the longest characters have. */
const RESPONSE_BYTES = 4 * RESPONSE_CHARACTERS;

export class WebhookSender {
  readonly #sender: GuardedSender;
  readonly #timeoutMs: number;
  readonly #keepsResponses: boolean;

  constructor({ timeoutMs, keepsResponses = false, ...options }: WebhookSenderOptions) {
    this.#sender = new GuardedSender(options);
    this.#timeoutMs = timeoutMs;
    this.#keepsResponses = keepsResponses;
  }

  async post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> {
    try {
      const { status, headers, body } = await this.#sender.send(
        {
          ...request,
          method: "POST",
          timeoutMs: this.#timeoutMs,
          ...(this.#keepsResponses ? { firstBodyBytes: RESPONSE_BYTES } : {}),
        },
        signal,
      );
      const response = headers["content-encoding"] === undefined ? beginningOf(body) : "";
      return {
        ...outcomeOf(status, headers["retry-after"]),
        ...(response === "" ? {} : { response }),
      };
    } catch (error) {
      return {
        failure: signal.aborted ? "the server is stopping" : messageOf(error),
        ...(error instanceof Forbidden ? { isFinal: true } : {}),
      };
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#sender.close();
  }
}

function outcomeOf(status: number, retryAfter: string | undefined): WebhookOutcome {
  if (status >= 200 && status < 300) return { status };
  const isRedirect = status >= 300 && status < 400;
  const retryAfterMs = parseRetryAfter(retryAfter);
  return {
    status,
    failure: isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`,
    ...(status === GONE ? { isFinal: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** As text that a database can store: without the control characters, and without half a character where it ends. */
function beginningOf(body: Buffer): string {
  const text = body.toString("utf8").replace(/\uFFFD+$/, "");
  const printable = text.replaceAll(/[^\P{Cc}\n\t]/gu, " ");
  return printable
    .slice(0, RESPONSE_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}
