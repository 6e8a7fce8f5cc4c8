/** `http.request@1`: a request by the guarded sender (W1–W4 in guarded-sender.ts). */
import { NonRetriableError, RetryAfterError } from "@oxbow/sdk/runtime";
import type { JsonSchema } from "../document/document.ts";
import { type Json, present } from "../document/json.ts";
import { AddressGuard } from "../net/address-guard.ts";
import {
  Forbidden,
  type GuardedResponse,
  GuardedSender,
  ResponseTooLarge,
} from "../net/guarded-sender.ts";
import { Proxies, type ProxySettings } from "../net/proxies.ts";
import { parseRetryAfter } from "../net/retry-after.ts";
import { differenceFromSchema } from "../types/conformance.ts";
import { sampleOf } from "../types/sample.ts";
import { HTTP_REQUEST } from "./descriptors/http-request.ts";
import { coded } from "./failure.ts";
import { type Capture, type NodeCall, type NodeType, nodeTypeOf } from "./node-type.ts";

/** Where requests may go. */
export interface HttpRequestOptions {
  /** Private networks to which requests are allowed: `10.1.0.0/16`, `127.0.0.1`. Default: only public ones. */
  readonly allowedNetworks?: readonly string[];
  /** Whether `http://` urls are allowed too. Default: false. */
  readonly allowHttp?: boolean;
  /** Proxies of requests. Default: direct connections. */
  readonly proxy?: ProxySettings;
  /**
   * Whether definitions send requests from a sandbox too, such as to stand-ins behind the proxy. Default: false, the request is
   * captured in the output of the node, and answered by a sample.
   */
  readonly sendsFromSandbox?: boolean;
  /** Resolves a name to addresses. Default: DNS. */
  readonly resolve?: (name: string) => Promise<string[]>;
}

interface Parameters {
  readonly url: string;
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: {
    readonly bearer?: string;
    readonly basic?: { readonly username: string; readonly password: string };
    readonly header?: { readonly name: string; readonly value: string };
  };
  readonly body?: Json;
  readonly accept?: readonly number[];
  readonly response?: JsonSchema;
}

const MAX_BODY_BYTES = 1_048_576;
/** Above any timeout of a node that makes sense; the node's own aborts the signal. */
const LONGEST_MS = 3_600_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** Headers that frame the request, or belong to the connection. */
const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i;
/** Statuses that a later attempt may not get. */
const PASSING = new Set([408, 409, 423, 425, 429]);

/** A response, or its absence, that fails the node. `code` is what `retry.only` and `retry.never` name. */
const requestFailed = (code: string, message: string, options?: ErrorOptions): Error =>
  coded("RequestFailed", code, message, options);

/**
 * Makes the node type `http.request@1` for networks and proxies of the worker. Without it, workers send to public addresses
 * by https, and nowhere else.
 *
 * @example
 * workflowOf(document, { nodes: [httpRequest({ allowedNetworks: ["10.1.0.0/16"], allowHttp: true })] });
 */
export function httpRequest(options: HttpRequestOptions = {}): NodeType {
  const { allowedNetworks = [], allowHttp = false, proxy, resolve } = options;
  const { sendsFromSandbox = false } = options;
  const guard = new AddressGuard(allowedNetworks);
  const proxies = proxy && new Proxies(proxy);
  const sender = new GuardedSender({ guard, allowHttp, ...present({ proxies, resolve }) });
  return nodeTypeOf(HTTP_REQUEST, {
    kind: "run",
    run: (given) => {
      const call = given as NodeCall<Parameters>;
      const { capture } = call;
      return capture === undefined || sendsFromSandbox
        ? request(sender, call)
        : captured(call, capture);
    },
  });
}

async function request(
  sender: GuardedSender,
  { params, secret, idempotencyKey, signal }: NodeCall<Parameters>,
): Promise<unknown> {
  const { method = "GET", accept = [], response: schema } = params;
  const { body, headers } = contentOf(params);
  const own = { ...lowered(params.headers), ...(await authorization(params, secret)) };
  const sent = {
    method,
    url: urlOf(params),
    headers: {
      "idempotency-key": idempotencyKey,
      "user-agent": "oxbow",
      accept: "application/json, */*;q=0.8",
      ...headers,
      ...own,
      // A body that must be decompressed has no limit before it is.
      "accept-encoding": "identity",
    },
    ...present({ body }),
    timeoutMs: LONGEST_MS,
    maxBodyBytes: MAX_BODY_BYTES,
  };
  const response = await sender.send(sent, signal).catch((error: unknown) => fail(error, signal));
  const { status } = response;
  const isAccepted = (status >= 200 && status < 300) || accept.includes(status);
  if (!isAccepted) refuse(response, method);
  const content = bodyOf(response);
  if (schema !== undefined) {
    const difference = differenceFromSchema(content, schema);
    if (difference !== undefined) {
      permanent("INVALID_RESPONSE", `the body of the response isn't of its schema: ${difference}`);
    }
  }
  return { status, headers: shownHeaders(response), body: content };
}

/** The answer in a sandbox, as that of a test, with the request that was not sent. Secrets are not opened. */
async function captured(
  { params, idempotencyKey, log }: NodeCall<Parameters>,
  capture: Capture,
): Promise<Json> {
  const { method = "GET", body, response = null } = params;
  const { headers } = contentOf(params);
  const found = {
    method,
    url: urlOf(params),
    headers: { "idempotency-key": idempotencyKey, ...headers, ...lowered(params.headers) },
    ...present({ body }),
  };
  log.info(`${method} was captured, and not sent: this database is a sandbox.`);
  await capture({ ...found, key: idempotencyKey }).catch((error: unknown) => {
    // The output has it, and a database that is away is no failure of the node.
    log.warn("The captured request could not be listed.", { error });
  });
  return { status: 200, headers: {}, body: sampleOf(response), captured: found };
}

function urlOf({ url: text, query = {} }: Parameters): string {
  if (Object.keys(query).length === 0 || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
  return url.href;
}

function contentOf({ body, headers }: Parameters): {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
} {
  if (body === undefined) return {};
  if (typeof body === "string" && "content-type" in lowered(headers)) return { body };
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

function lowered(headers: Parameters["headers"] = {}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const refused = entries.find(([name = ""]) => FRAMING.test(name));
  if (refused !== undefined) {
    permanent("INVALID_PARAMETERS", `the header "${refused[0]}" can't be set`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

async function authorization(
  { auth }: Parameters,
  secret: NodeCall["secret"],
): Promise<Readonly<Record<string, string>>> {
  if (auth?.bearer !== undefined) {
    return { authorization: `Bearer ${await secret(auth.bearer)}` };
  }
  if (auth?.basic !== undefined) {
    const credentials = `${auth.basic.username}:${await secret(auth.basic.password)}`;
    return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
  }
  if (auth?.header === undefined) return {};
  const { name, value } = auth.header;
  return lowered({ [name]: await secret(value) });
}

/** @throws An error that is retried, or not. */
function fail(error: unknown, signal: AbortSignal): never {
  if (signal.aborted) throw signal.reason;
  if (error instanceof Forbidden || error instanceof ResponseTooLarge) {
    throw new NonRetriableError(error.message, { cause: error });
  }
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  // The method, a header or the path can't be sent. Other codes of Node begin with ERR_ too: those of TLS.
  if (typeof code === "string" && /^ERR_(?:INVALID|HTTP_INVALID|UNESCAPED)_/.test(code)) {
    permanent("INVALID_PARAMETERS", message);
  }
  throw requestFailed("HTTP_NO_RESPONSE", `no response: ${message}`, { cause: error });
}

function refuse({ status, headers }: GuardedResponse, method: string): never {
  const isRedirect = status >= 300 && status < 400;
  const failed = requestFailed(
    `HTTP_${status}`,
    isRedirect
      ? `${method} was answered ${status}: redirects are not followed`
      : `${method} was answered ${status}`,
  );
  if (status < 500 && !PASSING.has(status)) {
    throw new NonRetriableError(failed.message, { cause: failed });
  }
  const delay = parseRetryAfter(headers["retry-after"]);
  if (delay === undefined) throw failed;
  throw new RetryAfterError(Math.min(delay, LONGEST_RETRY_AFTER_MS), failed.message, {
    cause: failed,
  });
}

function permanent(code: string, message: string): never {
  throw new NonRetriableError(message, { cause: requestFailed(code, message) });
}

/** JSON as a value, other text as text, and everything else in base64. */
function bodyOf({ headers, body }: GuardedResponse): Json {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    permanent(
      "INVALID_RESPONSE",
      `the response is compressed by ${encoding}, which was not asked for`,
    );
  }
  if (body.length === 0) return null;
  const [type = ""] = (headers["content-type"] ?? "").toLowerCase().split(";");
  if (/[/+]json$/.test(type.trim())) {
    try {
      return JSON.parse(body.toString("utf8")) as Json;
    } catch (cause) {
      throw requestFailed("INVALID_RESPONSE", "the body of the response is no JSON", { cause });
    }
  }
  const isText = /^text\/|[/+](?:xml|javascript|x-www-form-urlencoded)$/.test(type.trim());
  return isText ? body.toString("utf8") : body.toString("base64");
}

/** Without cookies, which are credentials. */
function shownHeaders({ headers }: GuardedResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === "set-cookie"
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
