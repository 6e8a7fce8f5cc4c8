/**
 * The triggers that a worker knows, by the subscriptions through which their events arrive. A trigger that no longer
 * exists stays until the next full reading: the database ignores its matches. One that moved to another pool leaves
 * immediately.
 */
import type { ChangedTrigger } from "../protocol/triggers.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import { TriggerProgram } from "./trigger-program.ts";

export interface KnownTrigger {
  readonly definition: string;
  readonly version: number;
  readonly name: string;
  /** Members that its type loads. */
  readonly loads: readonly string[];
  /** Reads the trigger when it is needed first. Throws what is wrong with it. */
  readonly program: () => TriggerProgram;
}

/** Guards that many definitions have in common are read once. */
const EXPRESSIONS = 30_000;

export class TriggerIndex {
  readonly #expressions = new ExpressionCache(EXPRESSIONS);
  readonly #bySubscription = new Map<string, Map<string, KnownTrigger>>();
  readonly #subscriptionOf = new Map<string, string | null>();
  readonly #byKey = new Map<string, KnownTrigger>();

  clear(): void {
    this.#bySubscription.clear();
    this.#subscriptionOf.clear();
    this.#byKey.clear();
  }

  apply(changed: readonly ChangedTrigger[]): void {
    for (const { definition, version, name, subscriptionId, spec, loads, isGone } of changed) {
      const key = keyOf(definition, name);
      this.#bySubscription.get(this.#subscriptionOf.get(key) ?? "")?.delete(key);
      if (isGone === true) {
        this.#byKey.delete(key);
        this.#subscriptionOf.delete(key);
        continue;
      }
      const trigger = { definition, version, name, loads, program: this.#lazily(spec) };
      this.#byKey.set(key, trigger);
      this.#subscriptionOf.set(key, subscriptionId);
      if (subscriptionId === null) continue;
      const others = this.#bySubscription.get(subscriptionId) ?? new Map<string, KnownTrigger>();
      this.#bySubscription.set(subscriptionId, others.set(key, trigger));
    }
  }

  /** Lists the triggers behind subscriptions, each once. */
  *behind(subscriptionIds: readonly string[]): Iterable<KnownTrigger> {
    for (const id of subscriptionIds) yield* this.#bySubscription.get(id)?.values() ?? [];
  }

  get(definition: string, name: string): KnownTrigger | undefined {
    return this.#byKey.get(keyOf(definition, name));
  }

  #lazily(spec: unknown): () => TriggerProgram {
    let program: TriggerProgram | undefined;
    return () => (program ??= new TriggerProgram(spec, this.#expressions));
  }
}

const keyOf = (definition: string, name: string): string => `${definition} ${name}`;
