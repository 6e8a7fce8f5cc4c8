/**
 * Registers the node types and the types of resources of a worker's sources, where checkers and editors find them.
 *
 * Promises:
 *   N1  One call for each kind and pool when the worker starts, which replaces what has changed, and one every 5 minutes,
 *       which only reports that the types are still served: an old worker doesn't undo what a newer one has registered.
 *   N2  Nothing depends on it: a failure is reported once and the call repeated, at first after two seconds and later
 *       every minute, and the worker executes runs meanwhile.
 */
import { type Pace, Pacer } from "../async/pace.ts";
import { within } from "../async/within.ts";
import type { CatalogTransport } from "../protocol/catalog.ts";
import type { ResourceTransport } from "../protocol/resources.ts";
import type { WorkflowSource } from "./workflow-source.ts";

const REPORT_EVERY_MS = 5 * 60_000;
const TROUBLE_PACE: Pace = { firstMs: 2_000, growth: 2, longestMs: 60_000 };
/** A worker that stops doesn't wait longer for a database that may be away. */
const STOP_WITHIN_MS = 1_000;

export interface CatalogRegistrationOptions {
  readonly transport: {
    readonly catalog: Pick<CatalogTransport, "registerNodeTypes">;
    readonly resources: Pick<ResourceTransport, "register">;
  };
  readonly sources: readonly Pick<WorkflowSource, "pools" | "nodeTypes" | "resourceTypes">[];
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** A call that registers types of one kind, for one pool. */
interface Registration {
  readonly doing: string;
  readonly send: (replace: boolean) => Promise<unknown>;
}

export class CatalogRegistration {
  readonly #calls: readonly RepeatedCall[];

  constructor({ transport, sources, onTrouble }: CatalogRegistrationOptions) {
    this.#calls = sources
      .flatMap((source) => source.pools.flatMap((pool) => registrationsOf(source, pool, transport)))
      .map((registration) => new RepeatedCall(registration, onTrouble));
  }

  start(): void {
    for (const call of this.#calls) call.start();
  }

  /** May be called before `start()`. */
  async stop(): Promise<void> {
    await Promise.all(this.#calls.map((call) => call.stop()));
  }
}

function registrationsOf(
  { nodeTypes, resourceTypes = [] }: CatalogRegistrationOptions["sources"][number],
  pool: string,
  { catalog, resources }: CatalogRegistrationOptions["transport"],
): Registration[] {
  const types = nodeTypes && JSON.stringify(nodeTypes);
  const ofNodes: Registration[] =
    types === undefined
      ? []
      : [
          {
            doing: "registering node types",
            send: (replace) => catalog.registerNodeTypes({ pool, types, replace }),
          },
        ];
  const ofResources: Registration[] =
    resourceTypes.length === 0
      ? []
      : [
          {
            doing: "registering types of resources",
            send: (replace) => resources.register({ pool, types: resourceTypes, replace }),
          },
        ];
  return [...ofNodes, ...ofResources];
}

class RepeatedCall {
  readonly #registration: Registration;
  readonly #onTrouble: CatalogRegistrationOptions["onTrouble"];
  readonly #pauses = new Pacer(TROUBLE_PACE);
  #timer: NodeJS.Timeout | undefined;
  #call: Promise<void> | undefined;
  #isRegistered = false;
  #isFailing = false;
  #isStopped = false;

  constructor(registration: Registration, onTrouble: CatalogRegistrationOptions["onTrouble"]) {
    this.#registration = registration;
    this.#onTrouble = onTrouble;
  }

  start(): void {
    if (!this.#isStopped) this.#look();
  }

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
    const { doing, send } = this.#registration;
    try {
      await send(!this.#isRegistered);
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) this.#onTrouble(doing, error);
      this.#isFailing = true;
      return this.#pauses.next();
    }
    this.#isRegistered = true;
    this.#isFailing = false;
    this.#pauses.restart();
    return REPORT_EVERY_MS;
  }
}
