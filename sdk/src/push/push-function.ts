/**
 * Answers the requests of a server, whatever platform they come through: `handler.ts`, `node-handler.ts` and
 * `lambda-handler.ts` convert requests to its form, and its answers to theirs.
 *
 * Promises:
 *   H1  POST executes one delivery, PUT returns the workflows that are served, GET shows a page to people.
 *   H2  A request that no server with a key has signed learns nothing, and has no effect.
 *   H3  Each answer has the header `oxbow-protocol`, and one that is not 200 has a remedy.
 *   H4  A request shares nothing with others, since platforms such as Cloudflare forbid it. A handler of a Node server
 *       shares connections and commits: see node-handler.ts.
 *   H5  A rejection that nothing awaits never ends the process if its promise belongs to a run, also after the run's request:
 *       from the first delivery on, the function listens for as long as the process lasts.
 */
import { messageOf } from "../core/error-record.ts";
import { MAX_JSON_BYTES } from "../core/json.ts";
import {
  CLOCK_HEADER,
  type EndpointManifest,
  LARGEST_PUSHED_BYTES,
  PROTOCOL_HEADER,
  PUSH_PROTOCOL,
  type PushOutcome,
  type PushRequest,
} from "../protocol/push.ts";
import type { Workflow } from "../definition/workflow.ts";
import { ServedWorkflows } from "../worker/served-workflows.ts";
import { watchRejections } from "../worker/stray-rejections.ts";
import { type HandlerOptions, readHandlerOptions } from "./handler-options.ts";
import { LeaseTransport, type PushedTransport } from "./lease-transport.ts";
import { PushedRuns } from "./pushed-runs.ts";
import { SignatureCheck, type SignedRequest } from "./signature-check.ts";
import { welcomePage } from "./welcome-page.ts";

/** An input may be the largest value, and then comes without the journal, but with the waits of its run. */
export const LARGEST_BODY = MAX_JSON_BYTES + LARGEST_PUSHED_BYTES / 2;

export interface PushedRequest extends SignedRequest {
  readonly method: string;
  /** Reads the body; undefined if it has more bytes than `LARGEST_BODY`. */
  readonly body: () => Promise<string | undefined>;
}

/** The text of a body; undefined if it has more bytes than `LARGEST_BODY`. */
export function textOf(chunks: readonly Uint8Array[]): string | undefined {
  if (chunks.reduce((sum, { length }) => sum + length, 0) > LARGEST_BODY) return undefined;
  const decoder = new TextDecoder();
  const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
  return texts.join("") + decoder.decode();
}

export interface PushedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Executing {
  readonly transport: PushedTransport;
  readonly runs: PushedRuns;
}

export class PushFunction {
  readonly #options: HandlerOptions;
  readonly #maxDurationMs: number;
  readonly #served: ServedWorkflows;
  readonly #check: SignatureCheck;
  #isWatching = false;
  /** Straight to the database, if there is a url. */
  #direct: Promise<PushedTransport> | undefined;
  /** Each under the url of its server; only where requests may share. */
  readonly #shared: Map<string, Promise<Executing>> | undefined;

  constructor(options: HandlerOptions, shares = false) {
    const { maxDurationMs, signingKeys } = readHandlerOptions(options);
    this.#options = options;
    this.#maxDurationMs = maxDurationMs;
    this.#served = new ServedWorkflows(options.workflows);
    this.#check = new SignatureCheck(signingKeys);
    this.#shared = shares ? new Map() : undefined;
  }

  /** The same function for a process that stays, whose requests share connections and commits. */
  sharing(): PushFunction {
    return new PushFunction(this.#options, true);
  }

  /** Never rejects. */
  async answer(request: PushedRequest): Promise<PushedAnswer> {
    const arrivedAt = performance.now();
    const { method } = request;
    try {
      if (method === "GET" || method === "HEAD") return this.#welcome();
      if (method !== "POST" && method !== "PUT") {
        return problem(405, `Send GET, PUT or POST, not ${method}.`);
      }
      const body = await request.body();
      if (body === undefined) {
        return problem(413, `The body has more than ${LARGEST_BODY} bytes.`);
      }
      const refusal = await this.#check.refuse(request, body);
      if (refusal !== undefined) {
        const clock = { [CLOCK_HEADER]: String(Date.now()) };
        return problem(401, refusal.detail, refusal.isUntimely === true ? clock : {});
      }
      if (method === "PUT") return json(200, this.#manifest());
      return await this.#execute(body, arrivedAt);
    } catch (error) {
      return problem(500, `The handler failed: ${messageOf(error)}`);
    }
  }

  async #execute(body: string, arrivedAt: number): Promise<PushedAnswer> {
    const push = readPush(body);
    if (push === undefined) return problem(400, "The body is not a delivery.");
    if (push.protocol !== PUSH_PROTOCOL) {
      return problem(
        426,
        `This handler speaks protocol ${PUSH_PROTOCOL}, not ${String(push.protocol).slice(0, 20)}: deploy it with the SDK of the server's version.`,
      );
    }
    const { name, version } = push.delivery;
    const definition = this.#served.definition(push.delivery);
    if (definition === undefined) {
      const served = [...this.#served.versions].map(
        ([workflow, versions]) => `${workflow} ${versions.map((one) => `v${one}`).join(", ")}`,
      );
      return problem(
        409,
        `Workflow "${name}" version ${version} is not served here; there are ${served.join("; ")}.`,
      );
    }
    return json(200, { outcome: await this.#executeWithin(definition, push, arrivedAt) });
  }

  async #executeWithin(
    definition: Workflow,
    push: PushRequest,
    arrivedAt: number,
  ): Promise<PushOutcome> {
    const budgetMs = Math.min(push.budgetMs, this.#maxDurationMs);
    const { transport, runs } = await this.#runsFor(push.commit.url);
    const leases = transport instanceof LeaseTransport ? transport : undefined;
    const { runId, receipt } = push.delivery;
    this.#watch();
    leases?.open(runId, receipt, push.commit.token);
    try {
      return await runs.execute(definition, push, arrivedAt, budgetMs);
    } finally {
      leases?.end(runId, receipt);
      if (this.#shared === undefined) {
        const closed = runs.close();
        leases?.close();
        await closed;
      }
    }
  }

  /** H5. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    watchRejections();
  }

  #runsFor(url: string): Promise<Executing> {
    const found = this.#shared?.get(url);
    if (found !== undefined) return found;
    const made = this.#makeRuns(url);
    // Requests that arrive before it is made share it as well.
    this.#shared?.set(url, made);
    return made;
  }

  async #makeRuns(url: string): Promise<Executing> {
    const transport = await this.#transportTo(url);
    const { logger, codec } = this.#options;
    return { transport, runs: new PushedRuns({ served: this.#served, transport, logger, codec }) };
  }

  #transportTo(serverUrl: string): PushedTransport | Promise<PushedTransport> {
    const { url } = this.#options;
    if (url === undefined) return new LeaseTransport(serverUrl);
    return (this.#direct ??= connectTo(url));
  }

  #manifest(): EndpointManifest {
    const limited = this.#served.newestWithFlowControl();
    const workflows = this.#served
      .registrations(() => {})
      .map((registration) => {
        const { name, version } = registration;
        const { flowControl } =
          limited.find((one) => one.name === name && one.version === version) ?? {};
        if (flowControl === undefined) return registration;
        // Settings without a limit lift all limits; servers refuse null.
        return { ...registration, flowControl: flowControl ?? {} };
      });
    return { protocol: PUSH_PROTOCOL, maxDurationMs: this.#maxDurationMs, workflows };
  }

  #welcome(): PushedAnswer {
    return {
      status: 200,
      headers: { ...OURS, "content-type": "text/html; charset=utf-8" },
      body: welcomePage(this.#check.isSigned),
    };
  }
}

/** Loads the driver, which a function that commits through a server doesn't need. */
async function connectTo(url: string): Promise<PushedTransport> {
  const { postgresTransport } = await import("#postgres");
  return postgresTransport({ url, listen: false });
}

const OURS = { [PROTOCOL_HEADER]: String(PUSH_PROTOCOL), "cache-control": "no-store" };

const json = (status: number, body: unknown, headers?: Record<string, string>): PushedAnswer => ({
  status,
  headers: { ...OURS, "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const problem = (status: number, detail: string, headers?: Record<string, string>): PushedAnswer =>
  json(status, { status, detail }, headers);

/** Undefined unless it has the members that this handler reads; it was signed, so their values are the server's. */
function readPush(body: string): PushRequest | undefined {
  let push: Partial<PushRequest> | null;
  try {
    push = JSON.parse(body) as Partial<PushRequest> | null;
  } catch {
    return undefined;
  }
  if (typeof push !== "object" || push === null) return undefined;
  // Another protocol has other members.
  if (push.protocol !== PUSH_PROTOCOL) return push as PushRequest;
  const { delivery, commit, leaseMs, budgetMs, sentAt, ageMs } = push;
  const areNumbers = [leaseMs, budgetMs, sentAt, ageMs].every(Number.isFinite);
  const isWhole =
    typeof delivery?.receipt === "string" &&
    typeof delivery.name === "string" &&
    typeof commit?.token === "string" &&
    URL.canParse(commit.url);
  return areNumbers && isWhole ? (push as PushRequest) : undefined;
}
