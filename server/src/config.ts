/** The environment. No other file of the server reads it. */
import { parseNetwork, parseProxy, Proxies, type ProxySettings } from "@oxbow/declared/net";
import { checkRunTokenSecrets, checkSigningKeys, parseDuration } from "@oxbow/sdk/internal/server";
import { deliveryDefaults, type DeliverySettings } from "./services/deliveries/settings.ts";
import { serverDefaults } from "./defaults.ts";
import { defined } from "./defined.ts";
import { runningDevShards, runningDevUrl } from "./dev/dev-folder.ts";
import { parseAccessKeys } from "./http/access-keys.ts";
import { parseTokens } from "./http/tokens.ts";
import { parseOrigins } from "./http/cors.ts";
import { isLoopbackName, parseHosts } from "./http/hosts.ts";
import type { ServerOptions } from "./server.ts";
import {
  checkSessionSecrets,
  parsePublicUrl,
  parseRoles,
  type SignInSettings,
} from "./sign-in/settings.ts";
import { messageOf } from "./message-of.ts";

/**
 * Url of the database or of a server: the given one, then `QUEUE_URL`, then `DATABASE_URL`, then that of the `oxbow dev`
 * that runs in this folder.
 */
export const databaseUrl = (given: string | undefined): string =>
  firstUrl(
    given,
    process.env["QUEUE_URL"],
    process.env["DATABASE_URL"],
    runningDevUrl(process.cwd()),
  );

/** The shards of a fleet, each as name=url: those in `QUEUE_SHARDS`, or of the `oxbow dev` that runs in this folder. */
export function shardUrls(): string[] {
  const text = textIn("QUEUE_SHARDS");
  if (text !== undefined) return text.split(/\s+/).filter((one) => one !== "");
  const shards = Object.entries(runningDevShards(process.cwd()) ?? {});
  return shards.map(([name, url]) => `${name}=${url}`);
}

/**
 * The shards that a client connects to which is given this url, or no url; undefined if it connects to one url.
 *
 * @throws Error for an invalid `QUEUE_SHARDS`.
 */
export function clientShards(
  given: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if ((given ?? textIn("QUEUE_URL")) !== undefined) return undefined;
  if (textIn("QUEUE_SHARDS") !== undefined) return Object.fromEntries(shardsIn("QUEUE_SHARDS"));
  return textIn("DATABASE_URL") === undefined ? runningDevShards(process.cwd()) : undefined;
}

/**
 * The shards of a server: those of `QUEUE_SHARDS`, unless a url is given, or `DATABASE_URL` or `QUEUE_URL` set. Lists,
 * counts and metrics of the shards in `QUEUE_READ_SHARDS` come from these standbys.
 *
 * @throws Error naming the variable and its value.
 */
export function serverShards(given: string | undefined): ServerShards | undefined {
  const url = given ?? textIn("DATABASE_URL") ?? textIn("QUEUE_URL");
  if (url !== undefined || textIn("QUEUE_SHARDS") === undefined) return undefined;
  const urls = shardsIn("QUEUE_SHARDS");
  const readUrls = shardsIn("QUEUE_READ_SHARDS");
  const unknown = [...readUrls.keys()].find((name) => !urls.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `QUEUE_READ_SHARDS has a standby of shard "${unknown}", which QUEUE_SHARDS lacks.`,
    );
  }
  const shards = [...urls].map(([name, one]) => [name, { url: one, readUrl: readUrls.get(name) }]);
  return Object.fromEntries(shards) as ServerShards;
}

type ServerShards = Readonly<Record<string, { url: string; readUrl: string | undefined }>>;

function shardsIn(variable: string): Map<string, string> {
  const texts = (textIn(variable) ?? "").split(/\s+/).filter((text) => text !== "");
  return new Map(
    texts.map((text) => {
      const [, name, url] = /^([a-z][a-z0-9-]{0,29})=(\S+)$/.exec(text) ?? [];
      if (name !== undefined && url !== undefined) return [name, url];
      throw new Error(
        `Invalid ${variable} at "${text.slice(0, 12)}": give names and urls, like "a=postgres://… b=postgres://…".`,
      );
    }),
  );
}

/** The same as `databaseUrl` for a server, which reads `DATABASE_URL` first: `QUEUE_URL` may be its own url for clients. */
export const serverDatabaseUrl = (given: string | undefined): string =>
  firstUrl(given, process.env["DATABASE_URL"], process.env["QUEUE_URL"]);

function firstUrl(...candidates: readonly (string | undefined)[]): string {
  const url = candidates.find((candidate) => candidate !== undefined && candidate !== "");
  if (url !== undefined) return url;
  throw new Error(
    "No database: give --url postgres://..., set QUEUE_URL or DATABASE_URL, or run `oxbow dev` in this folder.",
  );
}

/** A standby of the server's database, for lists, counts and metrics. */
export const serverReadUrl = (): string | undefined => textIn("QUEUE_READ_URL");

/** Whether to print colours: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function wantsColour(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR: unwanted = "", TERM: terminal } = process.env;
  return stream.isTTY && unwanted === "" && terminal !== "dumb";
}

/** The environment for a child process. */
export const environmentWith = (
  more: Readonly<Record<string, string>>,
): Record<string, string | undefined> => ({ ...process.env, ...more });

export type ServerConfig = ServerOptions &
  Required<Pick<ServerOptions, "tokens" | "signIn" | "signingKeys" | "schedules" | "deliveries">>;

/**
 * Settings of the server: `PORT` (8080), `HOST`, `OXBOW_TOKENS`, `OXBOW_ACCESS_KEYS`, `OXBOW_ALLOWED_HOSTS`, `OXBOW_ALLOWED_ORIGINS`, `OXBOW_RUN_TOKEN_KEYS`, `OXBOW_SIGNING_KEY`, `OXBOW_PUBLIC_URL`, `OXBOW_SQS` and `OXBOW_MCP` (off; in `oxbow dev`: on; `OXBOW_MCP` also takes `start` and `operate`), `WORKFLOWS_MAX_RETENTION_DAYS` (365),
 * `OXBOW_AUDIT_RETENTION_DAYS` (365), `WORKFLOWS_SWEEPER_INTERVAL_MS` (300000; 0 turns the sweeper off), `WORKFLOWS_SCHEDULES` (true; false leaves schedules
 * to other servers and workers), and `OXBOW_WEBHOOK_…`.
 *
 * @param answersOthers Whether clients of other protocols are answered, unless the variable of the protocol decides it.
 * @throws Error naming the variable and its value.
 */
export function serverConfig(answersOthers?: boolean): ServerConfig {
  return {
    ...defined({ host: textIn("HOST") }),
    port: wholeNumber("PORT", serverDefaults.port, 65_535),
    tokens: parseTokens(process.env["OXBOW_TOKENS"] ?? ""),
    accessKeys: parseAccessKeys(process.env["OXBOW_ACCESS_KEYS"] ?? ""),
    signIn: signInSettings(),
    allowedHosts: parsedList("OXBOW_ALLOWED_HOSTS", parseHosts),
    allowedOrigins: parsedList("OXBOW_ALLOWED_ORIGINS", parseOrigins),
    runTokenKeys: parsedList("OXBOW_RUN_TOKEN_KEYS", checkRunTokenSecrets),
    signingKeys: parsedList("OXBOW_SIGNING_KEY", checkSigningKeys),
    publicUrl: parsed("OXBOW_PUBLIC_URL", parsePublicUrl),
    sqs: isOn("OXBOW_SQS", answersOthers ?? serverDefaults.sqs),
    mcp: mcpSetting(answersOthers ?? serverDefaults.mcp),
    maxRetentionDays: wholeNumber(
      "WORKFLOWS_MAX_RETENTION_DAYS",
      serverDefaults.maxRetentionDays,
      36_500,
    ),
    auditRetentionDays: wholeNumber(
      "OXBOW_AUDIT_RETENTION_DAYS",
      serverDefaults.auditRetentionDays,
      36_500,
      7,
    ),
    sweepIntervalMs: wholeNumber(
      "WORKFLOWS_SWEEPER_INTERVAL_MS",
      serverDefaults.sweepIntervalMs,
      2_147_483_647,
    ),
    schedules: isOn("WORKFLOWS_SCHEDULES", serverDefaults.schedules),
    deliveries: deliverySettings(),
  };
}

function mcpSetting(unsaid: boolean): boolean | "start" | "operate" {
  const text = textIn("OXBOW_MCP");
  if (text === "start" || text === "operate") return text;
  return isOn("OXBOW_MCP", unsaid, "true, false, start or operate");
}

/**
 * The sign-in by OpenID Connect, which `OXBOW_OIDC_ISSUER` switches on. With it, `OXBOW_OIDC_CLIENT_ID`,
 * `OXBOW_OIDC_ROLES`, `OXBOW_PUBLIC_URL` and `OXBOW_SESSION_SECRETS` are required.
 */
function signInSettings(): SignInSettings | undefined {
  const issuer = textIn("OXBOW_OIDC_ISSUER");
  if (issuer === undefined) return undefined;
  const required = (name: string): string => {
    const text = textIn(name);
    if (text !== undefined) return text;
    throw new Error(`${name} is not set: OXBOW_OIDC_ISSUER requires it.`);
  };
  return {
    issuer: inVariable("OXBOW_OIDC_ISSUER", () => parseIssuer(issuer)),
    clientId: required("OXBOW_OIDC_CLIENT_ID"),
    clientSecret: textIn("OXBOW_OIDC_CLIENT_SECRET"),
    publicUrl: inVariable("OXBOW_PUBLIC_URL", () => parsePublicUrl(required("OXBOW_PUBLIC_URL"))),
    sessionSecrets: parsedList("OXBOW_SESSION_SECRETS", checkSessionSecrets),
    requestedScopes: textIn("OXBOW_OIDC_SCOPES"),
    rolesClaim: textIn("OXBOW_OIDC_ROLES_CLAIM"),
    roles: inVariable("OXBOW_OIDC_ROLES", () => parseRoles(required("OXBOW_OIDC_ROLES"))),
    actorClaim: textIn("OXBOW_OIDC_ACTOR_CLAIM"),
    assumesVerified: isOn("OXBOW_OIDC_ASSUME_VERIFIED", false),
    providerName: textIn("OXBOW_OIDC_NAME"),
    longestMs: lengthIn("OXBOW_SESSION_DURATION"),
    refreshMs: lengthIn("OXBOW_SESSION_REFRESH"),
  };
}

const lengthIn = (name: string): number | undefined =>
  parsed(name, (text) => between(SHORTEST_SESSION_MS, LONGEST_SESSION_MS, text));

/** Without TLS, anyone on the way could answer in the name of the provider. */
function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (isSafe) return text;
  throw new Error(`"${text.slice(0, 100)}" is not a url like https://id.example.com/.`);
}

/** A year. */
const MOST_LOG_HOURS = 8_784;
const SHORTEST_SESSION_MS = 10_000;
const LONGEST_SESSION_MS = 30 * 86_400_000;

/**
 * `OXBOW_WEBHOOK_SECRETS` (empty: not signed), `_SENDERS` (50; 0: this server delivers nothing),
 * `_SENDERS_PER_SUBSCRIPTION` (10), `_TIMEOUT` ("15s"), `_RETRIES` (the waits between attempts),
 * `_DISABLE_AFTER` ("5d"; 0: never), `_LOG_HOURS` (24; 0: no log), `_ALLOWED_NETWORKS` (only public addresses) and
 * `_ALLOW_HTTP` (false). Deliveries use `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
 */
function deliverySettings(): DeliverySettings {
  const retryDelaysMs = parsedList("OXBOW_WEBHOOK_RETRIES", (waits) =>
    waits.map((wait) => between(0, LONGEST_RETRY_MS, wait)),
  );
  return {
    secrets: listIn("OXBOW_WEBHOOK_SECRETS"),
    senders: wholeNumber("OXBOW_WEBHOOK_SENDERS", deliveryDefaults.senders, 10_000),
    perSubscription: Math.max(
      1,
      wholeNumber(
        "OXBOW_WEBHOOK_SENDERS_PER_SUBSCRIPTION",
        deliveryDefaults.perSubscription,
        10_000,
      ),
    ),
    ...defined({
      timeoutMs: parsed("OXBOW_WEBHOOK_TIMEOUT", (text) =>
        between(SHORTEST_TIMEOUT_MS, LONGEST_TIMEOUT_MS, text),
      ),
      retryDelaysMs: retryDelaysMs.length === 0 ? undefined : retryDelaysMs,
      disableAfterMs: parsed("OXBOW_WEBHOOK_DISABLE_AFTER", (text) =>
        text === "0" ? 0 : between(SHORTEST_FAILURE_MS, LONGEST_FAILURE_MS, text),
      ),
    }),
    logHours: wholeNumber("OXBOW_WEBHOOK_LOG_HOURS", deliveryDefaults.logHours, MOST_LOG_HOURS),
    allowedNetworks: networksIn("OXBOW_WEBHOOK_ALLOWED_NETWORKS"),
    proxy: proxySettings(),
    allowHttp: isOn("OXBOW_WEBHOOK_ALLOW_HTTP", deliveryDefaults.allowHttp),
  };
}

/** Variables in lower case take precedence, as with curl. */
const inEitherCase = (name: string): { name: string; text: string } | undefined =>
  [name.toLowerCase(), name]
    .map((one) => ({ name: one, text: textIn(one) ?? "" }))
    .find(({ text }) => text !== "");

function proxySettings(): ProxySettings {
  const proxyIn = (name: string): string | undefined => {
    const found = inEitherCase(name);
    return found && inVariable(found.name, () => parseProxy(found.text));
  };
  const [http, https, none] = [
    proxyIn("HTTP_PROXY"),
    proxyIn("HTTPS_PROXY"),
    inEitherCase("NO_PROXY"),
  ];
  const except = none === undefined ? [] : listIn(none.name);
  if (none !== undefined) inVariable(none.name, () => new Proxies({ except }));
  return defined({ http, https, except });
}

const SHORTEST_TIMEOUT_MS = 100;
const LONGEST_TIMEOUT_MS = 600_000;
const SHORTEST_FAILURE_MS = 1_000;
const LONGEST_FAILURE_MS = 365 * 86_400_000;
const LONGEST_RETRY_MS = 7 * 86_400_000;

function between(leastMs: number, mostMs: number, text: string): number {
  const ms = parseDuration(text, "the duration");
  if (ms >= leastMs && ms <= mostMs) return ms;
  throw new Error(`"${text.slice(0, 40)}" must be from ${leastMs} ms to ${mostMs} ms.`);
}

const listIn = (name: string): string[] =>
  (process.env[name] ?? "").split(/[\s,]+/).filter((entry) => entry !== "");

const parsedList = <Value>(name: string, parse: (entries: string[]) => Value): Value =>
  inVariable(name, () => parse(listIn(name)));

/** Undefined if the variable is not set. */
function parsed<Value>(name: string, parse: (text: string) => Value): Value | undefined {
  const text = textIn(name);
  return text === undefined ? undefined : inVariable(name, () => parse(text));
}

const networksIn = (name: string): string[] =>
  parsedList(name, (networks) => {
    for (const network of networks) parseNetwork(network);
    return networks;
  });

function isOn(name: string, unsaid: boolean, choices = "true or false"): boolean {
  const text = process.env[name] ?? "";
  if (text === "") return unsaid;
  if (["0", "false", "off"].includes(text)) return false;
  if (["1", "true", "on"].includes(text)) return true;
  throw new Error(`Invalid ${name} "${text.slice(0, 40)}": give ${choices}.`);
}

export interface TracesConfig {
  /** Base url of a collector; undefined for that of `OTEL_EXPORTER_OTLP_…`. */
  readonly endpoint: string | undefined;
}

/**
 * Whether to send spans, and where. `OTLP_ENABLED` decides; by default, spans are sent if `OTLP_ENDPOINT` is set, or the
 * standard `OTEL_EXPORTER_OTLP_ENDPOINT` (or `…_TRACES_ENDPOINT`). `OTEL_SDK_DISABLED=true` and
 * `OTEL_TRACES_EXPORTER=none` turn it off.
 */
export function tracesConfig(): TracesConfig | undefined {
  const endpoint = textIn("OTLP_ENDPOINT");
  const addresses = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const hasAddress = [endpoint, ...addresses.map(textIn)].some((text) => text !== undefined);
  const isDisabled = isOn("OTEL_SDK_DISABLED", false) || textIn("OTEL_TRACES_EXPORTER") === "none";
  if (isDisabled || !isOn("OTLP_ENABLED", hasAddress)) return undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint)) {
    throw new Error(
      `Invalid OTLP_ENDPOINT "${endpoint.slice(0, 100)}": give a url, as http://localhost:4318.`,
    );
  }
  return { endpoint };
}

/** A data source for `sql.query@1`. */
export interface SourceSetting {
  /** As documents name it. */
  readonly name: string;
  /** The variable that has the url. */
  readonly variable: string;
  readonly url: string;
  readonly writes: boolean;
}

/** What the built-in nodes of a worker without code may use. */
export interface NodeSettings {
  readonly sources: readonly SourceSetting[];
  /** For messages: as documents name them. */
  readonly secretNames: readonly string[];
  readonly secret: (name: string) => string | undefined;
  readonly requests: {
    readonly allowedNetworks: readonly string[];
    readonly allowHttp: boolean;
    readonly proxy: ProxySettings;
  };
}

const SOURCE = "OXBOW_SOURCE_";
const SECRET = "OXBOW_SECRET_";

/**
 * Settings of a worker without code: the data sources `OXBOW_SOURCE_<NAME>`, of which those in `OXBOW_WRITABLE_SOURCES`
 * accept statements that write, the secrets `OXBOW_SECRET_<NAME>`, and for requests `OXBOW_HTTP_ALLOWED_NETWORKS` (only
 * public addresses), `OXBOW_HTTP_ALLOW_HTTP` (false), `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
 *
 * @throws Error naming the variable, without the url of a source or a secret.
 */
export function nodeSettings(): NodeSettings {
  return {
    sources: sourceSettings(),
    secretNames: variablesOf(SECRET).map(({ name }) => name),
    secret: (name) => textIn(`${SECRET}${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`),
    requests: {
      allowedNetworks: networksIn("OXBOW_HTTP_ALLOWED_NETWORKS"),
      allowHttp: isOn("OXBOW_HTTP_ALLOW_HTTP", false),
      proxy: proxySettings(),
    },
  };
}

/** The variables of data sources and secrets, which only a worker without code reads. */
export const nodeVariables = (): string[] =>
  [SOURCE, SECRET].flatMap((prefix) => variablesOf(prefix).map(({ variable }) => variable));

function sourceSettings(): SourceSetting[] {
  const writable = new Set(listIn("OXBOW_WRITABLE_SOURCES").map((name) => name.toLowerCase()));
  const sources = variablesOf(SOURCE).map(({ variable, name }) => ({
    name,
    variable,
    url: textIn(variable) ?? "",
    writes: writable.delete(name),
  }));
  const [unknown] = writable;
  if (unknown === undefined) return sources;
  throw new Error(
    `Invalid OXBOW_WRITABLE_SOURCES: there is no source "${unknown.slice(0, 40)}". Set ${SOURCE}${unknown.slice(0, 40).toUpperCase()} to its url, or correct the name.`,
  );
}

/** The variables with a prefix that are set, and what they name: the rest in lower case. */
function variablesOf(prefix: string): { readonly variable: string; readonly name: string }[] {
  return Object.keys(process.env)
    .filter((variable) => variable.startsWith(prefix) && textIn(variable) !== undefined)
    .toSorted()
    .map((variable) => {
      const name = variable.slice(prefix.length);
      if (/^[A-Z][A-Z0-9_]*$/.test(name)) return { variable, name: name.toLowerCase() };
      throw new Error(
        `Invalid name of the variable ${variable.slice(0, 80)}: continue ${prefix} with a name of A-Z, 0-9 and _, which documents write in lower case.`,
      );
    });
}

function textIn(name: string): string | undefined {
  const text = process.env[name];
  return text === "" ? undefined : text;
}

/** Prefixes errors with the name of the variable. */
function inVariable<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Error(`Invalid ${name}: ${messageOf(error)}`, { cause: error });
  }
}

function wholeNumber(name: string, fallback: number, most: number, least = 0): number {
  const text = process.env[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(
    `Invalid ${name} "${text.slice(0, 40)}": give a whole number from ${least} to ${most}.`,
  );
}
