/**
 * A worker of definitions: it serves what is published, and archived versions that have runs in progress.
 *
 * Promises:
 *   D1  A version is served soon after it is published, without a restart of the process.
 *   D2  A version that can't be served here, because a node type is missing or its document isn't sound, is left to other
 *       workers, and reported once. Its runs wait; none fails for it.
 *   D3  When the versions change, another worker takes over before the last one drains: calls under way finish, and runs
 *       continue from their journals.
 */
import {
  blameFor,
  connect,
  isRefused,
  type ServedDefinition,
  serveUnregistered,
  sleep,
  type Transport,
} from "@oxbow/sdk/internal";
import type { ServeOptions, Worker } from "@oxbow/sdk/runtime";
import { readDocument } from "../document/read-document.ts";
import {
  type DeclaredWorkflow,
  workflowOf,
  type WorkflowOfOptions,
} from "../interpreter/workflow-of.ts";

export interface DefinitionWorkerParts extends Omit<WorkflowOfOptions, "version"> {
  readonly pool: string;
}

const REFRESH_MS = 1_000;
/** A look also finds runs of archived versions that were started or retried since the last change. */
const FULL_LOOK_MS = 15_000;
const DOCUMENTS_A_REQUEST = 100;

export class DefinitionWorker {
  /** Resolves when the worker has stopped; rejects if it can't work at all. */
  readonly finished: Promise<void>;

  readonly #parts: DefinitionWorkerParts;
  readonly #options: ServeOptions;
  readonly #transport: Transport;
  readonly #stopping = new AbortController();
  /** By version and hash; null for one that can't be served here. */
  #compiled = new Map<string, DeclaredWorkflow | null>();
  #serves = "";
  #worker: Worker | undefined;
  #draining: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: DefinitionWorkerParts, options: ServeOptions) {
    this.#parts = parts;
    this.#options = options;
    const { url, token, answerTimeout } = options;
    this.#transport = connect({ url, token, answerTimeout, maxConnections: 1, listen: false });
    this.finished = this.#work();
  }

  /** Drains the worker: calls under way finish and are journaled, and runs are given back. It may be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #work(): Promise<void> {
    try {
      await this.#followChanges();
    } finally {
      await Promise.all([this.#worker?.stop(), this.#draining]);
      await this.#transport.close();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #followChanges(): Promise<void> {
    const { signal } = this.#stopping;
    let seen: string | undefined;
    let lookedAt = 0;
    while (!signal.aborted) {
      try {
        const epoch = await this.#transport.definitions.epoch();
        if (epoch !== seen || performance.now() - lookedAt >= FULL_LOOK_MS) {
          lookedAt = performance.now();
          await this.#look();
          seen = epoch;
        }
      } catch (error) {
        if (isRefused(error) || blameFor(error) !== "database") throw error;
        this.#report("Definitions can't be read", error);
      }
      await sleep(REFRESH_MS, signal);
    }
  }

  async #look(): Promise<void> {
    const versions = await this.#transport.definitions.served(this.#parts.pool);
    await this.#compile(versions.filter((version) => !this.#compiled.has(keyOf(version))));
    const known = versions.map((version) => [keyOf(version), this.#compiled.get(keyOf(version))]);
    this.#compiled = new Map(
      known.filter((entry): entry is [string, DeclaredWorkflow | null] => entry[1] !== undefined),
    );
    this.#serve(
      [...this.#compiled].flatMap(([key, made]) => (made === null ? [] : [{ key, made }])),
    );
  }

  async #compile(versions: readonly ServedDefinition[]): Promise<void> {
    for (let at = 0; at < versions.length; at += DOCUMENTS_A_REQUEST) {
      const some = versions.slice(at, at + DOCUMENTS_A_REQUEST);
      for (const found of await this.#transport.definitions.servedDocuments(some)) {
        this.#compiled.set(keyOf(found), this.#workflowOf(found.document, found));
      }
    }
  }

  #workflowOf(value: unknown, { name, version }: ServedDefinition): DeclaredWorkflow | null {
    const what = `Version ${version} of definition "${name}" is not served by this worker`;
    const { document, problems } = readDocument(value);
    if (document === undefined) {
      this.#report(what, new Error(problems[0].message));
      return null;
    }
    try {
      const { pool: _, ...parts } = this.#parts;
      return workflowOf(document, { ...parts, version });
    } catch (error) {
      this.#report(what, error);
      return null;
    }
  }

  #serve(served: readonly { readonly key: string; readonly made: DeclaredWorkflow }[]): void {
    const serves = served.map(({ key }) => key).join(" ");
    if (serves === this.#serves || this.#stopping.signal.aborted) return;
    const last = this.#worker;
    this.#serves = serves;
    this.#worker = served.length === 0 ? undefined : this.#start(served.map(({ made }) => made));
    const drained = last?.stop().catch((error: unknown) => {
      this.#report("A worker of definitions could not stop", error);
    });
    this.#draining = Promise.all([this.#draining, drained]);
  }

  #start(workflows: readonly DeclaredWorkflow[]): Worker {
    const worker = serveUnregistered({ ...this.#options, workflows });
    worker.finished.catch((error: unknown) => {
      this.#failure = { error };
      this.#stopping.abort();
    });
    return worker;
  }

  #report(what: string, error: unknown): void {
    const { logger } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (logger === undefined) process.emitWarning(`${what}: ${reason}`, "OxbowWarning");
    else if (logger !== false) logger.warn(`oxbow: ${what}: ${reason}`);
  }
}

const keyOf = ({ name, version, hash }: ServedDefinition): string => `${name}@${version}@${hash}`;
