/**
 * The requests to endpoints, and the meaning of their answers.
 *
 * Promises:
 *   Q1  It never throws: failures are answers.
 *   Q2  Requests are signed, and sent once: a function may have acted on one that was not answered.
 *   Q3  An answer shows whether the function may still execute the run. It may not if no connection was made, or if the answer
 *       is of the function, or of something else that is no failing gateway.
 *   Q4  A function whose clock is wrong refuses the time of a signature and returns its own. By that, the request is
 *       signed again, and so are later ones.
 *   Q5  Urls are guarded as the urls of webhooks are, and redirects are not followed.
 */
import {
  Forbidden,
  type GuardedResponse,
  GuardedSender,
  type GuardedSenderOptions,
  parseRetryAfter,
} from "@oxbow/declared/net";
import {
  CLOCK_HEADER,
  PROTOCOL_HEADER,
  type PushOutcome,
  WebhookSignatures,
} from "@oxbow/sdk/internal/server";
import { randomUUID } from "node:crypto";
import { type CheckAnswer, readManifest } from "./manifest.ts";
import { shownUrl } from "./shown-url.ts";
import { messageOf } from "../../message-of.ts";

/** The fate of a delivery. */
export type PushAnswer =
  /** The function has executed it. */
  | { readonly kind: "done"; readonly outcome: PushOutcome }
  /** The function, or something before it, answers, and has not executed it. */
  | {
      readonly kind: "refused";
      readonly detail: string;
      /** Its reason: this run alone, by its version or the size of its request, or the state of the endpoint. */
      readonly about: "version" | "size" | "endpoint";
      readonly retryAfterMs?: number | undefined;
    }
  /** No function answers. */
  | { readonly kind: "away"; readonly detail: string }
  /** It may execute it: there is no answer, or one of a gateway before it. */
  | { readonly kind: "unknown"; readonly detail: string };

export interface EndpointRequestsOptions extends GuardedSenderOptions {
  /** The first one signs. Without one, requests are not signed. */
  readonly signingKeys: readonly string[];
  readonly userAgent: string;
}

const CHECK_WITHIN_MS = 10_000;
/** Input schemas of many workflows. */
const LARGEST_MANIFEST = 8 * 1024 * 1024;
const SHOWN_BYTES = 4_096;
/** No connection was made, so nothing was received. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENODATA",
  "ESERVFAIL",
]);

/** The certificate is refused before anything is sent. */
const UNTRUSTED = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

interface Sent {
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly id: string;
  readonly body: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes?: number;
}

export class EndpointRequests {
  readonly #sender: GuardedSender;
  readonly #signatures: WebhookSignatures | undefined;
  readonly #userAgent: string;
  /** The lead of the clock of an endpoint that has refused the time here. */
  readonly #aheadMs = new Map<string, number>();

  constructor({ signingKeys, userAgent, ...options }: EndpointRequestsOptions) {
    this.#sender = new GuardedSender({ ...options, keptConnections: 256 });
    this.#signatures = signingKeys.length === 0 ? undefined : new WebhookSignatures(signingKeys);
    this.#userAgent = userAgent;
  }

  /** Asks what the endpoint serves. */
  async check(url: string, signal: AbortSignal): Promise<CheckAnswer> {
    const sent: Sent = {
      url,
      method: "PUT",
      id: `check_${randomUUID()}`,
      body: "{}",
      timeoutMs: CHECK_WITHIN_MS,
      maxBodyBytes: LARGEST_MANIFEST,
    };
    try {
      const response = await this.#send(sent, signal);
      if (response.status !== 200 || !isOfFunction(response)) {
        return { detail: detailOf(response) };
      }
      return readManifest(response.body.toString("utf8"));
    } catch (error) {
      return { detail: messageOf(error) };
    }
  }

  /** @param id The receipt: a function accepts it once. */
  async push(
    url: string,
    id: string,
    body: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PushAnswer> {
    try {
      const response = await this.#send({ url, method: "POST", id, body, timeoutMs }, signal);
      return answerOf(response, body);
    } catch (error) {
      const detail = messageOf(error);
      const code = codeOf(error);
      const isAway = error instanceof Forbidden || NOT_CONNECTED.has(code) || UNTRUSTED.test(code);
      return { kind: isAway ? "away" : "unknown", detail };
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#sender.close();
  }

  /** Sends a request, and again by the clock of the function if that is what it refuses. */
  async #send(sent: Sent, signal: AbortSignal): Promise<GuardedResponse> {
    const response = await this.#sendOnce(sent, signal);
    const clock = Number(response.headers[CLOCK_HEADER] ?? Number.NaN);
    if (response.status !== 401 || !Number.isFinite(clock)) return response;
    this.#aheadMs.set(sent.url, clock - Date.now());
    return this.#sendOnce(sent, signal);
  }

  async #sendOnce(sent: Sent, signal: AbortSignal): Promise<GuardedResponse> {
    const { url, method, id, body, timeoutMs, maxBodyBytes } = sent;
    const signedAt = Date.now() + (this.#aheadMs.get(url) ?? 0);
    const timestamp = String(Math.floor(signedAt / 1_000));
    const signature = await this.#signatures?.sign({ id, timestamp, body });
    const headers = {
      "content-type": "application/json",
      "user-agent": this.#userAgent,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(signature === undefined ? {} : { "webhook-signature": signature }),
    };
    return this.#sender.send(
      {
        url,
        method,
        headers,
        body,
        timeoutMs,
        isSentOnce: true,
        ...(maxBodyBytes === undefined ? { firstBodyBytes: SHOWN_BYTES } : { maxBodyBytes }),
      },
      signal,
    );
  }
}

const isOfFunction = ({ headers }: GuardedResponse): boolean =>
  headers[PROTOCOL_HEADER] !== undefined;

function answerOf(response: GuardedResponse, sent: string): PushAnswer {
  const { status, headers } = response;
  const detail = detailOf(response);
  const retryAfterMs = parseRetryAfter(headers["retry-after"]);
  if (status === 413) {
    const size = `The request has ${Buffer.byteLength(sent)} bytes.`;
    return { kind: "refused", detail: `${detail} ${size}`, about: "size", retryAfterMs };
  }
  if (isOfFunction(response)) {
    if (status === 200) return { kind: "done", outcome: outcomeOf(response.body) };
    return {
      kind: "refused",
      detail,
      about: status === 409 ? "version" : "endpoint",
      retryAfterMs,
    };
  }
  if (status === 429) return { kind: "refused", detail, about: "endpoint", retryAfterMs };
  return { kind: status >= 500 ? "unknown" : "away", detail };
}

function outcomeOf(body: Buffer): PushOutcome {
  try {
    const { outcome } = JSON.parse(body.toString("utf8")) as { readonly outcome?: unknown };
    if (outcome === "ended" || outcome === "suspended" || outcome === "released") return outcome;
  } catch {
    // The answer broke off.
  }
  return "lost";
}

/** The answer, for people: the detail of a function, or the first line of something else. */
function detailOf(response: GuardedResponse): string {
  const { status, headers } = response;
  const text = response.body.toString("utf8").slice(0, SHOWN_BYTES);
  if (isOfFunction(response)) return `status ${status}: ${toldIn(text) ?? "no reason"}`;
  if (status >= 300 && status < 400) {
    return `status ${status}: redirects are not followed. Register the url that it leads to, ${shownUrl(String(headers.location)).slice(0, 200)}.`;
  }
  const advice =
    status < 400 || status === 404 || status === 405
      ? " No handler of Oxbow answers there: give the path at which createHandler() is mounted, such as /api/oxbow."
      : "";
  const line = firstLineOf(text);
  return `status ${status}${line === "" ? "." : `: "${line}".`}${advice}`;
}

function toldIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === "string" ? detail : undefined;
  } catch {
    return undefined;
  }
}

const firstLineOf = (text: string): string =>
  text
    .replaceAll(/[^\P{Cc}\n]/gu, " ")
    .trim()
    .split("\n", 1)[0]
    ?.trim()
    .slice(0, 120) ?? "";

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code);
