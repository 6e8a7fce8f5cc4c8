/**
 * Sends an event to a run from a page, by `POST /v1/runs/{id}/signals/{event}`.
 *
 * Promises:
 *   G1  A request without an answer is sent again, with the same key: the run gets the event once.
 *   G2  It ends within a minute: with the outcome, or with the reason.
 */
import { type RunRefusal, refusalOf, type RunTokenSource, tokenOf, urlOf } from "./run-request.ts";

export interface SignalRunOptions {
  /** Url of the Oxbow server. */
  readonly url: string;
  /** A run token that allows `signal:<event>`, or a function that gets one from the application. */
  readonly token: RunTokenSource;
  /** A later event with the same id has no effect. Default: a new one for each call. 1 to 512 characters of Latin-1. */
  readonly deduplicationId?: string | undefined;
}

/** The run has the event, gets it at its next wait, has ended, or is on another shard. */
export type SignalRunOutcome = "delivered" | "buffered" | "ignored" | "sent";

/** An event that the server has refused, or that didn't reach it. */
export class SignalFailed extends Error {
  override readonly name = "SignalFailed";
  /**
   * Undefined if no server could answer: the run may have the event, and gets no second one by the same `deduplicationId`.
   */
  readonly refusal: RunRefusal | undefined;

  constructor(event: string, refusal: RunRefusal | undefined, cause?: unknown) {
    const reason =
      refusal !== undefined
        ? `${refusal.status} ${refusal.detail}`.trim()
        : cause instanceof NotSent
          ? cause.message
          : "no server answers";
    super(`The event "${event}" was not sent: ${reason}`, { cause });
    this.refusal = refusal;
  }
}

/** Why an attempt failed although a server may answer. */
class NotSent extends Error {}

/** Waits before the repetitions. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];
const ANSWER_MS = 10_000;

/**
 * Sends an event to a run.
 *
 * @throws SignalFailed
 * @example
 * await signalRun(runId, "approved", { by: "Ada" }, { url, token });
 */
export async function signalRun(
  runId: string,
  event: string,
  payload: unknown,
  options: SignalRunOptions,
): Promise<SignalRunOutcome> {
  const { url, token, deduplicationId = newId() } = options;
  const path = `${urlOf(url, runId)}/signals/${encodeURIComponent(event)}`;
  const body = payload === undefined ? null : JSON.stringify(payload);
  // A header has no others.
  if (/[^\u0020-\u007E\u00A0-\u00FF]/u.test(deduplicationId)) {
    throw new SignalFailed(
      event,
      undefined,
      new NotSent("its deduplicationId has characters outside of Latin-1"),
    );
  }
  let hasNewToken = typeof token === "string";
  for (const pauseMs of [...PAUSES_MS, 0]) {
    const answer = await post(path, token, deduplicationId, body).catch(noAnswer);
    const { outcome, refusal, failure } = answer;
    if (outcome !== undefined) return outcome;
    const mayBeExpired = refusal?.status === 401 && !hasNewToken;
    if ((refusal !== undefined && !mayBeExpired) || pauseMs === 0) {
      throw new SignalFailed(event, refusal, failure);
    }
    if (mayBeExpired) {
      hasNewToken = true;
      continue;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
  throw new SignalFailed(event, undefined);
}

interface Answer {
  readonly outcome?: SignalRunOutcome;
  readonly refusal?: RunRefusal | undefined;
  readonly failure?: unknown;
}

const noAnswer = (failure: unknown): Answer => ({ failure });

async function post(
  path: string,
  source: RunTokenSource,
  key: string,
  body: string | null,
): Promise<Answer> {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), ANSWER_MS);
  try {
    const token = await tokenOf(source, control.signal).catch((cause: unknown) => {
      throw new NotSent(`there is no token: ${String(cause)}`, { cause });
    });
    const response = await fetch(path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
        ...(body === null ? {} : { "content-type": "application/json" }),
      },
      body,
      credentials: "omit",
      signal: control.signal,
    });
    if (!response.ok) {
      const refusal = await refusalOf(response);
      if (refusal === undefined) throw new NotSent(`the server answers ${response.status}`);
      return { refusal };
    }
    return (await response.json()) as Answer;
  } finally {
    clearTimeout(timer);
  }
}

/** `crypto.randomUUID` is absent from pages without TLS. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
