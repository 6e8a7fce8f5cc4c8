/**
 * Sends one request to a url that is not trusted.
 *
 * Promises:
 *   W1  It connects to no address that the guard forbids. Every address of a name is checked, and only checked addresses
 *       are connected to, so a later change of the name has no effect. A proxy resolves names itself, and must limit
 *       itself to public addresses; a url whose host is an address is checked in any case.
 *   W2  Redirects are never followed; they are responses like others.
 *   W3  Name resolution, connection, response and body together take no longer than the timeout.
 *   W4  At most 64 KiB of a body that is not wanted are read, and only the beginning that is asked for is kept; its
 *       errors are no failure. Of one that is wanted, no more than the given limit is kept: a longer one fails the
 *       request.
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import http, { type ClientRequest, type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { HttpsProxyAgent } from "https-proxy-agent";
import type { AddressGuard } from "./address-guard.ts";
import { maskedUrl } from "./masked-url.ts";
import type { Proxies } from "./proxies.ts";

export interface GuardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Bytes of the response's body to keep, if it is wanted. Default: it is not wanted. */
  readonly maxBodyBytes?: number;
  /** Bytes to keep of the beginning of a body that is not wanted. Default: 0. */
  readonly firstBodyBytes?: number;
  /** It is not sent again if a kept connection ends without an answer: the target may have acted on it. */
  readonly isSentOnce?: true;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning, or empty, if it was not wanted. */
  readonly body: Buffer;
}

export interface GuardedSenderOptions {
  readonly guard: AddressGuard;
  readonly allowHttp: boolean;
  /** Default: none. */
  readonly proxies?: Proxies;
  /** Resolves a name to addresses. Default: DNS. */
  readonly resolve?: (name: string) => Promise<string[]>;
  /** Idle connections to keep, to each host. Default 4. */
  readonly keptConnections?: number;
}

const MOST_UNWANTED_BYTES = 65_536;
/** After the status, an unwanted body only matters for reusing the connection. */
const UNWANTED_WITHIN_MS = 2_000;
/** Node's default is too short for targets on other continents. */
const ATTEMPT_TIMEOUT_MS = 2_000;
/** Idle connections are closed after half a minute, so that changes of names take effect. */
const keeping = (maxFreeSockets = 4): http.AgentOptions => ({
  keepAlive: true,
  maxFreeSockets,
  timeout: 30_000,
});

/** A failure that no later attempt can change. */
export class Forbidden extends Error {
  readonly code = "TARGET_FORBIDDEN";

  constructor(message: string) {
    super(message);
    this.name = "Forbidden";
  }
}

/** The body of the response is longer than the caller keeps. */
export class ResponseTooLarge extends Error {
  readonly code = "RESPONSE_TOO_LARGE";

  constructor(maxBytes: number) {
    super(`the body of the response is larger than ${maxBytes} bytes`);
    this.name = "ResponseTooLarge";
  }
}

export class GuardedSender {
  readonly #options: GuardedSenderOptions;
  readonly #resolve: (name: string) => Promise<string[]>;
  readonly #agents: Readonly<Record<"http:" | "https:", http.Agent>>;
  /** Requests use CONNECT, so that the proxy only sees the host. */
  readonly #tunnels = new Map<string, http.Agent>();

  constructor(options: GuardedSenderOptions) {
    const kept = keeping(options.keptConnections);
    this.#options = options;
    this.#agents = { "http:": new http.Agent(kept), "https:": new https.Agent(kept) };
    this.#resolve = options.resolve ?? resolveByDns;
  }

  /** @throws Forbidden, ResponseTooLarge; other errors of the connection, which a later attempt may not have. */
  async send(request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
    const url = this.#checked(request.url);
    try {
      return await this.#exchange(url, request, signal);
    } catch (error) {
      throw firstOf(error);
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
    const tunnel =
      this.#tunnels.get(proxy) ??
      new HttpsProxyAgent(proxy, keeping(this.#options.keptConnections));
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

  async #exchange(url: URL, sent: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
    const endsAt = performance.now() + sent.timeoutMs;
    for (;;) {
      const request = this.#open(url, sent);
      try {
        return await new Answer(request, sent, endsAt, signal).received;
      } catch (error) {
        // The target closed an idle connection while it was being reused.
        const mayRepeat = request.reusedSocket && sent.isSentOnce !== true;
        if (mayRepeat && isReset(error) && !signal.aborted) continue;
        throw error;
      }
    }
  }

  #open(url: URL, { method, headers, body }: GuardedRequest): ClientRequest {
    const isSecure = url.protocol === "https:";
    const options = {
      method,
      agent: this.#agentFor(url),
      lookup: this.#lookup,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
      headers:
        body === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
    };
    const request = (isSecure ? https : http).request(url, options);
    request.end(body);
    return request;
  }
}

/** The answer to one request, from the first byte to the last. */
class Answer {
  readonly received: Promise<GuardedResponse>;
  readonly #maxBytes: number | undefined;
  readonly #chunks: Buffer[] = [];
  #head: Pick<GuardedResponse, "status" | "headers"> | undefined;
  #isComplete = false;

  constructor(
    request: ClientRequest,
    { maxBodyBytes, firstBodyBytes = 0, timeoutMs }: GuardedRequest,
    endsAt: number,
    signal: AbortSignal,
  ) {
    this.#maxBytes = maxBodyBytes;
    this.received = new Promise((resolve, reject) => {
      let failure: Error | undefined;
      const fail = (error: Error): void => {
        failure ??= error;
        request.destroy(error);
        // While a proxy opens the connection, a request that is destroyed reports no end.
        if (request.socket === null) settle();
      };
      const giveUp = (): void => fail(toError(signal.reason));
      signal.addEventListener("abort", giveUp, { once: true });
      const timer = setTimeout(
        () => fail(new Error(`no answer within ${timeoutMs} ms`)),
        Math.max(1, endsAt - performance.now()),
      );
      let bodyTimer: NodeJS.Timeout | undefined;
      request.on("response", (response) => {
        this.#head = { status: response.statusCode ?? 0, headers: response.headers };
        if (maxBodyBytes === undefined) {
          bodyTimer = setTimeout(() => void request.destroy(), UNWANTED_WITHIN_MS);
        }
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          const before = bytes;
          bytes += chunk.length;
          if (maxBodyBytes === undefined) {
            if (before < firstBodyBytes)
              this.#chunks.push(chunk.subarray(0, firstBodyBytes - before));
            if (bytes > MOST_UNWANTED_BYTES) request.destroy();
          } else if (bytes > maxBodyBytes) fail(new ResponseTooLarge(maxBodyBytes));
          else this.#chunks.push(chunk);
        });
        response.on("end", () => {
          this.#isComplete = true;
        });
        response.on("error", (error) => {
          failure ??= error;
        });
      });
      request.on("error", (error) => {
        failure ??= error;
      });
      const settle = (): void => {
        clearTimeout(timer);
        clearTimeout(bodyTimer);
        signal.removeEventListener("abort", giveUp);
        // The last chunk may be the one too many.
        const isRefused = failure !== undefined && maxBodyBytes !== undefined;
        const response = isRefused ? undefined : this.#response();
        if (response !== undefined) resolve(response);
        else reject(failure ?? new Error("the connection was closed without an answer"));
      };
      request.on("close", settle);
      if (signal.aborted) giveUp();
    });
  }

  /** Undefined before it arrives, and while its body is incomplete and wanted. */
  #response(): GuardedResponse | undefined {
    if (this.#head === undefined || (this.#maxBytes !== undefined && !this.#isComplete)) {
      return undefined;
    }
    return { ...this.#head, body: Buffer.concat(this.#chunks) };
  }
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
function firstOf(error: unknown): Error {
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  return toError(first);
}

const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
