/** A server over a test's database, and requests whose answers are checked against /openapi.json. */
import { parseTokens, startServer, type RunningServer, type ServerOptions } from "@oxbow/server";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests say what they expect of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Name of a secret. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface TestServer {
  readonly url: string;
  readonly running: RunningServer;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
}

/** A secret as long as it has to be, with a name that is easy to read in a test. */
export const secretOf = (name: string): string => (name === "" ? "" : name.padEnd(32, "."));

/** Entries like those of OXBOW_TOKENS, with names in place of secrets. */
export const tokensOf = (entries: string): string =>
  entries
    .split(/[\s,]+/)
    .map((entry) => {
      const [name = "", ...scopes] = entry.split(":");
      return [secretOf(name), ...scopes].join(":");
    })
    .join(",");

/** Starts a server on a free port of this machine; it stops at the end of the file. */
export async function startTestServer(
  database: Pick<TestDatabase, "url">,
  {
    secrets,
    ...options
  }: Partial<ServerOptions> & {
    /** As OXBOW_TOKENS, with names in place of secrets. */
    readonly secrets?: string;
  } = {},
): Promise<TestServer> {
  const running = await startServer({
    url: database.url,
    port: 0,
    host: "127.0.0.1",
    sweepIntervalMs: 0,
    deliveries: { senders: 0 },
    warmsUp: false,
    ...(secrets === undefined ? {} : { tokens: parseTokens(tokensOf(secrets)) }),
    ...options,
  });
  atFileEnd(() => running.stop());
  const contract = new Contract(running);

  async function request(
    method: string,
    path: string,
    { body, token, headers, signal }: RequestOptions = {},
  ): Promise<Answer> {
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${secretOf(token)}` }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
    contract.check(method, path, answer);
    return answer;
  }

  return {
    url: running.url,
    running,
    request,
    get: (path) => request("GET", path),
    post: (path, body) => request("POST", path, body === undefined ? {} : { body }),
  };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** Fails a test whose answer doesn't match the OpenAPI document. */
class Contract {
  readonly #running: RunningServer;
  readonly #ajv = new Ajv({ strict: false });
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(running: RunningServer) {
    this.#running = running;
    addFormats.default(this.#ajv);
  }

  check(method: string, path: string, { status, body, headers }: Answer): void {
    const operation = this.#operation(method.toLowerCase(), path.split("?")[0] ?? "");
    if (status >= 400) {
      if (path.startsWith("/readyz")) return;
      const type = headers.get("content-type");
      const isProblem = type === "application/problem+json" && body.status === status;
      if (!isProblem || !/^[A-Z_]+$/.test(body.code)) {
        throw new Error(
          `${method} ${path} answers ${status} with no problem: ${type} ${JSON.stringify(body)}`,
        );
      }
      return;
    }
    const schema = operation?.responses[String(status)]?.content?.["application/json"]?.schema;
    if (operation === undefined || schema === undefined) return;
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(schema);
    this.#validators.set(schema, validate);
    if (validate(body)) return;
    throw new Error(
      `${method} ${path} answers what /openapi.json doesn't say: ${this.#ajv.errorsText(validate.errors)} ${JSON.stringify(body)}`,
    );
  }

  #operation(method: string, path: string): Operation | undefined {
    const parts = path.replace(/(.)\/$/, "$1").split("/");
    for (const [pattern, operations] of Object.entries(
      (this.#running.description as OpenApi).paths,
    )) {
      const names = pattern.split("/");
      const fits =
        names.length === parts.length &&
        names.every((name, index) =>
          name.startsWith("{") ? parts[index] !== "" : name === parts[index],
        );
      if (fits && operations[method] !== undefined) return operations[method];
    }
    return undefined;
  }
}
