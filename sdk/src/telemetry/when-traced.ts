/**
 * Modules that trace. Each is loaded once an OpenTelemetry SDK has registered a tracer: most processes don't trace, and
 * importing the API takes a fifth of the time in which a function imports this SDK.
 */
import { messageOf } from "../core/error-record.ts";
import { warn } from "../core/host.ts";

/** Where the API, in any of its 1.x versions, keeps what is registered: its copies find each other by that. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

const hasTracer = (): boolean =>
  (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED]?.trace !==
  undefined;

export class WhenTraced<Module> {
  readonly #import: () => Promise<Module>;
  #module: Module | undefined;
  #loading: Promise<void> | undefined;

  /** @param load Imports the module. */
  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /** Undefined without a tracer, and for a moment after the first look at one that was registered late. */
  get module(): Module | undefined {
    if (this.#module === undefined) void this.load();
    return this.#module;
  }

  /** Undefined if there is nothing to wait for. Never rejects: without the module, nothing is traced. */
  load(): Promise<void> | undefined {
    if (this.#module !== undefined || !hasTracer()) return undefined;
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    try {
      this.#module = await this.#import();
    } catch (error) {
      warn(`Nothing is traced, since @opentelemetry/api can't be loaded: ${messageOf(error)}`);
    }
  }
}
