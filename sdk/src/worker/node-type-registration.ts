/**
 * Registers the node types of a worker's sources in the catalog, where checkers and editors find them.
 *
 * Promises:
 *   N1  One call for each pool when the worker starts, which replaces descriptors that have changed, and one every 5
 *       minutes, which only reports that the types are still served: an old worker doesn't undo what a newer one has
 *       registered.
 *   N2  Nothing depends on it: a failure is reported once and the call repeated after a minute, and the worker executes
 *       runs meanwhile.
 */
import { within } from "../async/within.ts";
import type { CatalogTransport } from "../protocol/catalog.ts";
import type { WorkflowSource } from "./workflow-source.ts";

const REPORT_EVERY_MS = 5 * 60_000;
const REPEAT_AFTER_MS = 60_000;
/** A worker that stops doesn't wait longer for a database that may be away. */
const STOP_WITHIN_MS = 1_000;

export interface NodeTypeRegistrationOptions {
  readonly transport: Pick<CatalogTransport, "registerNodeTypes">;
  readonly sources: readonly Pick<WorkflowSource, "pools" | "nodeTypes">[];
  readonly onTrouble: (error: unknown) => void;
}

export class NodeTypeRegistration {
  readonly #options: NodeTypeRegistrationOptions;
  #timer: NodeJS.Timeout | undefined;
  #call: Promise<void> | undefined;
  #isRegistered = false;
  #isFailing = false;
  #isStopped = false;

  constructor(options: NodeTypeRegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    const hasTypes = this.#options.sources.some(({ nodeTypes }) => nodeTypes !== undefined);
    if (hasTypes && !this.#isStopped) this.#look();
  }

  /** May be called before `start()`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (this.#call !== undefined) await within(STOP_WITHIN_MS, this.#call);
  }

  #look(): void {
    this.#call = this.#register().then((delayMs) => {
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#look(), delayMs);
    });
  }

  /** Returns the delay of the next call. */
  async #register(): Promise<number> {
    const { transport, sources, onTrouble } = this.#options;
    try {
      for (const { pools, nodeTypes } of sources) {
        if (nodeTypes === undefined) continue;
        const types = JSON.stringify(nodeTypes);
        for (const pool of pools) {
          await transport.registerNodeTypes({ pool, types, replace: !this.#isRegistered });
        }
      }
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) onTrouble(error);
      this.#isFailing = true;
      return REPEAT_AFTER_MS;
    }
    this.#isRegistered = true;
    this.#isFailing = false;
    return REPORT_EVERY_MS;
  }
}
