/**
 * Sends the request of a delivery to the url of a subscription, through the guarded sender.
 *
 * Promises:
 *   X1  It never throws: failures are outcomes.
 *   X2  Redirects are failures.
 *   X3  Of the response only the status and the delay that it requests matter.
 */
import {
  Forbidden,
  GuardedSender,
  type GuardedSenderOptions,
  parseRetryAfter,
} from "@oxbow/declared/net";

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookOutcome {
  /** Undefined: no response. */
  readonly status?: number;
  /** Undefined: delivered. */
  readonly failure?: string;
  /** No later attempt can succeed. */
  readonly isFinal?: boolean;
  /** Delay that the target requests. */
  readonly retryAfterMs?: number;
}

export interface WebhookSenderOptions extends GuardedSenderOptions {
  readonly timeoutMs: number;
}

const GONE = 410;

export class WebhookSender {
  readonly #sender: GuardedSender;
  readonly #timeoutMs: number;

  constructor({ timeoutMs, ...options }: WebhookSenderOptions) {
    this.#sender = new GuardedSender(options);
    this.#timeoutMs = timeoutMs;
  }

  async post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> {
    try {
      const { status, headers } = await this.#sender.send(
        { ...request, method: "POST", timeoutMs: this.#timeoutMs },
        signal,
      );
      return outcomeOf(status, headers["retry-after"]);
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

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
