/**
 * Sends one request to the url of a subscription, which is not trusted.
 *
 * Promises:
 *   W1  It connects to no address that the guard forbids. Every address of a name is checked, and only checked addresses
 *       are connected to, so a later change of the name has no effect. A proxy resolves names itself, and must limit
 *       itself to public addresses; a url whose host is an address is checked in any case.
 *   W2  Redirects are failures; they are never followed.
 *   W3  Name resolution, connection, response and body together take no longer than the timeout.
 *   W4  At most 64 KiB of the response's body are read; none is kept.
 *   W5  It never throws: failures are outcomes.
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { HttpsProxyAgent } from "https-proxy-agent";
import { maskedUrl } from "../../masked-url.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { Proxies } from "./proxies.ts";

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

export interface WebhookSenderOptions {
  readonly guard: AddressGuard;
  readonly allowHttp: boolean;
  readonly timeoutMs: number;
  /** Default: none. */
  readonly proxies?: Proxies;
  /** Resolves a name to addresses. Default: DNS. */
  readonly resolve?: (name: string) => Promise<string[]>;
}

const MOST_BODY_BYTES = 65_536;
/** After the status, the body only matters for reusing the connection. */
const BODY_WITHIN_MS = 2_000;
/** Node's default is too short for targets on other continents. */
const ATTEMPT_TIMEOUT_MS = 2_000;
const GONE = 410;
/** Idle connections are closed after half a minute, so that changes of names take effect. */
const KEPT = { keepAlive: true, maxFreeSockets: 4, timeout: 30_000 };

/** A failure that no later attempt can change. */
class Forbidden extends Error {}

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #resolve: (name: string) => Promise<string[]>;
  readonly #agents = {
    "http:": new http.Agent(KEPT),
    "https:": new https.Agent(KEPT),
  };
  /** Requests use CONNECT, so that the proxy only sees the host. */
  readonly #tunnels = new Map<string, http.Agent>();

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? resolveByDns;
  }

  async post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> {
    try {
      const url = this.#checked(request.url);
      return await this.#exchange(url, request, signal);
    } catch (error) {
      return {
        failure: describe(error),
        ...(error instanceof Forbidden ? { isFinal: true } : {}),
      };
    }
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of [...Object.values(this.#agents), ...this.#tunnels.values()]) {
      agent.destroy();
    }
  }

  #agentFor(url: URL): http.Agent {
    const proxy = this.#options.proxies?.for(url);
    if (proxy === undefined) return this.#agents[url.protocol === "https:" ? "https:" : "http:"];
    const tunnel = this.#tunnels.get(proxy) ?? new HttpsProxyAgent(proxy, KEPT);
    this.#tunnels.set(proxy, tunnel);
    return tunnel;
  }

  #checked(text: string): URL {
    if (!URL.canParse(text)) throw new Forbidden(`"${maskedUrl(text).slice(0, 100)}" is not a url`);
    const url = new URL(text);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new Forbidden(`urls of ${url.protocol} are not supported`);
    }
    if (url.protocol === "http:" && !this.#options.allowHttp) {
      throw new Forbidden("the url is not https, and plain http is not allowed");
    }
    // Addresses are not resolved.
    const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(literal) !== 0) this.#check(literal);
    return url;
  }

  #check(address: string): void {
    if (this.#options.guard.allows(address)) return;
    throw new Forbidden(`${address} is not a public address, and not allowed`);
  }

  readonly #lookup: LookupFunction = (name, { all }, callback) => {
    this.#addressesOf(name, (error, found) => {
      if (error !== null) callback(error, []);
      else if (all === true) callback(null, found);
      else callback(null, found[0].address, found[0].family);
    });
  };

  readonly #addressesOf = callbackify(
    async (name: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
      const addresses = await this.#resolve(name);
      for (const address of addresses) this.#check(address);
      const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
      if (first === undefined) throw new Error(`${name} has no address`);
      return [first, ...others];
    },
  );

  async #exchange(url: URL, sent: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome> {
    const endsAt = performance.now() + this.#options.timeoutMs;
    for (;;) {
      const request = this.#open(url, sent);
      try {
        return await answerTo(request, endsAt, this.#options.timeoutMs, signal);
      } catch (error) {
        // The target closed an idle connection while it was being reused.
        if (request.reusedSocket && isReset(error) && !signal.aborted) continue;
        throw error;
      }
    }
  }

  #open(url: URL, { headers, body }: WebhookRequest): ClientRequest {
    const isSecure = url.protocol === "https:";
    const options = {
      method: "POST",
      agent: this.#agentFor(url),
      lookup: this.#lookup,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    };
    const request = (isSecure ? https : http).request(url, options);
    request.end(body);
    return request;
  }
}

function answerTo(
  request: ClientRequest,
  endsAt: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void request.destroy(new Error("the server is stopping"));
    signal.addEventListener("abort", giveUp, { once: true });
    const timer = setTimeout(
      () => void request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
      Math.max(1, endsAt - performance.now()),
    );
    let bodyTimer: NodeJS.Timeout | undefined;
    let outcome: WebhookOutcome | undefined;
    request.on("response", (response) => {
      outcome = outcomeOf(response);
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BODY_BYTES) request.destroy();
      });
      // After the status, an error in the body is no failure.
      response.on("error", () => {});
      bodyTimer = setTimeout(() => void request.destroy(), BODY_WITHIN_MS);
    });
    request.on("error", (error) => {
      if (outcome === undefined) reject(error);
    });
    request.on("close", () => {
      clearTimeout(timer);
      clearTimeout(bodyTimer);
      signal.removeEventListener("abort", giveUp);
      if (outcome === undefined) reject(new Error("the connection was closed without an answer"));
      else resolve(outcome);
    });
    if (signal.aborted) giveUp();
  });
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookOutcome {
  if (status >= 200 && status < 300) return { status };
  const isRedirect = status >= 300 && status < 400;
  const retryAfterMs = parseRetryAfter(headers["retry-after"]);
  return {
    status,
    failure: isRedirect ? `status ${status}: redirects are not followed` : `status ${status}`,
    ...(status === GONE ? { isFinal: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Parses seconds or an HTTP date. */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** Doesn't use the resolver of the system, because a few slow names would block its thread pool. */
async function resolveByDns(name: string): Promise<string[]> {
  if (/^([^.]+\.)*localhost\.?$/i.test(name)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? answer.value : [],
  );
  const failures = answers.flatMap((answer): Error[] =>
    answer.status === "rejected" ? [answer.reason as Error] : [],
  );
  if (addresses.length === 0 && failures[0] !== undefined) throw failures[0];
  return addresses;
}

const isReset = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ECONNRESET" || error.code === "EPIPE");

/** The failure of the first of several addresses. */
function describe(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  return first instanceof Error ? first.message : String(first);
}
