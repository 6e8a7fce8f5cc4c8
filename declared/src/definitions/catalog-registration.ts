/**
 * Registers the node types and the types of resources of a worker's definitions, where checkers and editors find them.
 *
 * Promises:
 *   N1  One call for each kind and pool when the worker starts, which replaces what has changed, and one every 5 minutes,
 *       which only reports that the types are still served: an old worker doesn't undo what a newer one has registered.
 *   N2  Nothing depends on it: a failure is reported once and the call repeated, at first after two seconds and later
 *       every minute, and the worker executes runs meanwhile.
 */
import type { CatalogTransport } from "../protocol/catalog.ts";
import { type Pace, Pacer, within } from "@oxbow/sdk/internal/declared";
import type { ResourceTransport, ResourceTypeRegistration } from "../protocol/resources.ts";

const REPORT_EVERY_MS = 5 * 60_000;
const TROUBLE_PACE: Pace = { firstMs: 2_000, growth: 2, longestMs: 60_000 };
/** A worker that stops doesn't wait longer for a database that may be away. */
const STOP_WITHIN_MS = 1_000;

export interface CatalogRegistrationOptions {
  readonly calls: {
    readonly catalog: Pick<CatalogTransport, "registerNodeTypes">;
    readonly resources: Pick<ResourceTransport, "register">;
  };
  readonly pool: string;
  /** Descriptors of the node types, as JSON. */
  readonly nodeTypes: readonly object[];
  readonly resourceTypes: readonly ResourceTypeRegistration[];
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** A call that registers types of one kind. */
interface Registration {
  readonly doing: string;
  readonly send: (replace: boolean) => Promise<unknown>;
}

/** Registers the types until the signal aborts. */
export async function registerTypes(
  options: CatalogRegistrationOptions,
  signal: AbortSignal,
): Promise<void> {
  const calls = registrationsOf(options).map((each) => new RepeatedCall(each, options.onTrouble));
  for (const call of calls) call.start();
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.all(calls.map((call) => call.stop()));
}

function registrationsOf({
  calls: { catalog, resources },
  pool,
  nodeTypes,
  resourceTypes,
}: CatalogRegistrationOptions): Registration[] {
  const types = JSON.stringify(nodeTypes);
  const ofNodes: Registration = {
    doing: "registering node types",
    send: (replace) => catalog.registerNodeTypes({ pool, types, replace }),
  };
  if (resourceTypes.length === 0) return [ofNodes];
  const ofResources: Registration = {
    doing: "registering types of resources",
    send: (replace) => resources.register({ pool, types: resourceTypes, replace }),
  };
  return [ofNodes, ofResources];
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
    this.#look();
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
