/**
 * The definitions of a pool as a source of workflows: a worker receives the runs of all of them, and a document is read
 * and compiled at the first run of its version.
 *
 * Promises:
 *   D1  A version is served from its publication on: nothing is listed, and nothing is asked from time to time.
 *   D2  A version that can't be executed here, because a node type is missing or its format is unknown, is left to
 *       other workers of the pool. Its runs wait, and don't fail for it.
 *   D3  A document is read once for all runs that wait for it, and again only if it was dropped to make room.
 *   D4  A run that begins has the values of the environment that were set before its start. Only those that its
 *       document names are read, and nothing for a run that has journaled its own values, or is an item, which gets
 *       those of its parent.
 */
import type { SourceConnection } from "@oxbow/sdk/runtime";
import { configNamesOf } from "../check/config-names.ts";
import { type JsonObject, present } from "../document/json.ts";
import { readDocument } from "../document/read-document.ts";
import { HTTP_REQUEST } from "../nodes/descriptors/http-request.ts";
import type { Surroundings } from "../interpreter/interpretation.ts";
import type { TestPlan } from "../interpreter/test-plan.ts";
import {
  CONFIG_DECISION,
  type DeclaredWorkflow,
  definedWorkflowOf,
  type WorkflowOfOptions,
} from "../interpreter/workflow-of.ts";
import type { ServedDocument } from "../protocol/definitions.ts";
import { DEFINITIONS } from "../transport/rooms.ts";
import { StoredDocuments } from "./stored-documents.ts";
import { WorkflowCache } from "./workflow-cache.ts";

export interface DefinitionSourceOptions extends Omit<WorkflowOfOptions, "version" | "config"> {
  /** Values of the environment that the database may replace. */
  readonly config?: JsonObject;
  readonly pool: string;
}

/** Memory of compiled documents, for each worker. */
const CACHE_BYTES = 67_108_864;
/** A compiled document takes about this many times the bytes of its text. */
const COMPILED_SHARE = 24;

/** The state of the source for a worker: the same name and version may be another document in another database. */
interface Served {
  readonly documents: StoredDocuments;
  readonly compiled: WorkflowCache<CompiledDefinition>;
}

export class DefinitionSource {
  readonly pools: readonly string[];
  readonly #parts: Omit<DefinitionSourceOptions, "pool">;
  readonly #served = new WeakMap<SourceConnection, Served>();

  constructor({ pool, ...parts }: DefinitionSourceOptions) {
    this.pools = [pool];
    this.#parts = parts;
  }

  async resolve(
    name: string,
    version: number,
    connection: SourceConnection,
    hasDecided: (decision: string) => boolean = () => false,
  ): Promise<DeclaredWorkflow | undefined> {
    const { documents, compiled } = this.#servedBy(connection);
    const definition = await compiled.get(`${name}@${version}`, async () => {
      const found = await documents.read(name, version);
      return (
        found && {
          value: this.#compile(found, name, version),
          bytes: JSON.stringify(found.document).length * COMPILED_SHARE,
        }
      );
    });
    await definition?.refresh(documents, { hasConfig: hasDecided(CONFIG_DECISION) });
    return definition?.workflow;
  }

  #servedBy(connection: SourceConnection): Served {
    let served = this.#served.get(connection);
    if (served === undefined) {
      const documents = new StoredDocuments(connection.transport.room(DEFINITIONS));
      served = { documents, compiled: new WorkflowCache(CACHE_BYTES) };
      this.#served.set(connection, served);
    }
    return served;
  }

  #compile(found: ServedDocument, name: string, version: number): CompiledDefinition {
    const { document, problems } = readDocument(found.document);
    if (document === undefined) {
      const [{ message, pointer }] = problems;
      throw new Error(
        `This worker can't read version ${version} of definition "${name}": ${message} (${pointer}).`,
      );
    }
    const { config: own = {}, ...parts } = this.#parts;
    const { names, isComputed } = configNamesOf(document);
    let config = own;
    let capture: Surroundings["capture"];
    const sendsRequests = Object.values(document.nodes).some(({ type, rollback }) =>
      [type, rollback?.type].includes(HTTP_REQUEST.type),
    );
    return {
      workflow: definedWorkflowOf(document, {
        ...parts,
        version,
        config: () => config,
        capture: () => capture,
        ...present({ test: (found.test as TestPlan | null | undefined) ?? undefined }),
      }),
      refresh: async (documents, { hasConfig }) => {
        const readsConfig = !hasConfig && (names.size > 0 || isComputed);
        const [values, sandbox] = await Promise.all([
          readsConfig ? documents.config(isComputed ? undefined : [...names]) : undefined,
          sendsRequests && documents.isSandbox(),
        ]);
        // Reads end in the order in which they began.
        if (values !== undefined) config = { ...own, ...(values as JsonObject) };
        capture = sandbox ? (request) => documents.capture(request) : undefined;
      },
    };
  }
}

/** A version as it is kept. */
interface CompiledDefinition {
  readonly workflow: DeclaredWorkflow;
  /**
   * Reads what a run has of its database: values of the environment, and whether that is a sandbox. A release ends all
   * leases, so the answer holds for as long as this worker has the run.
   */
  readonly refresh: (
    documents: StoredDocuments,
    run: { readonly hasConfig: boolean },
  ) => Promise<void>;
}
