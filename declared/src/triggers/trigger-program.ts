/** A trigger of a document, read once and evaluated for each event. */
import { parseDuration } from "@oxbow/sdk/internal/declared";
import { canonicalJson } from "../document/canonical-json.ts";
import type { Trigger } from "../document/document.ts";
import { isObject, type Json, present } from "../document/json.ts";
import { type BoundValue, parseBoundValue, resolve } from "../expression/bound-value.ts";
import { evaluate, evaluateGuard, type Scope } from "../expression/evaluate.ts";
import type { ExpressionCache } from "../expression/expression-cache.ts";
import type { Expression, ResourceLiteral } from "../expression/expression.ts";
import { refuseSecrets } from "../nodes/parameters.ts";
import type { MatchReport } from "../protocol/triggers.ts";

/** What a trigger makes of an event that its guard accepts. */
type Accepted = Pick<MatchReport, "input" | "onceKey" | "delaySeconds" | "recheck">;

export class TriggerProgram {
  readonly on: string;
  readonly guard: Expression | undefined;
  /** The resources that its expressions name. */
  readonly resources: readonly ResourceLiteral[];
  readonly #onceFor: readonly Expression[];
  readonly #input: BoundValue | undefined;
  readonly #delay: Pick<Accepted, "delaySeconds" | "recheck">;

  /** @throws InvalidExpression, or another error for a trigger that wasn't checked. */
  constructor(spec: unknown, expressions: ExpressionCache) {
    const { on, when, once_for: onceFor = [], input, delay, recheck } = spec as Trigger;
    const resources: ResourceLiteral[] = [];
    const parse = (text: string): Expression => {
      const expression = expressions.parse(text);
      resources.push(...expression.resources);
      return expression;
    };
    this.resources = resources;
    this.on = on;
    this.guard = when === undefined ? undefined : parse(when);
    this.#onceFor = onceFor.map(parse);
    this.#input = input === undefined ? undefined : parseBoundValue(input, parse);
    this.#delay =
      delay === undefined
        ? {}
        : {
            delaySeconds: parseDuration(delay, "the delay of a trigger") / 1_000,
            recheck: recheck ?? false,
          };
  }

  /** Returns undefined if the guard doesn't hold. Throws ExpressionFailed, MisplacedSecret. */
  evaluate(scope: Scope): Accepted | undefined {
    if (this.guard !== undefined && !evaluateGuard(this.guard, scope)) return undefined;
    const onceKey = this.onceKey(scope);
    return { input: this.input(scope), ...present({ onceKey }), ...this.#delay };
  }

  /** The input of the run, whether the guard holds or not. Throws ExpressionFailed, MisplacedSecret. */
  input(scope: Scope): unknown {
    if (this.#input === undefined) return scope.variables["event"];
    refuseSecrets(this.#input);
    return resolve(this.#input, scope);
  }

  /** The values of `once_for` as canonical JSON; undefined for a trigger without them. Throws ExpressionFailed. */
  onceKey(scope: Scope): string | undefined {
    if (this.#onceFor.length === 0) return undefined;
    return canonicalJson(this.#onceFor.map((expression): Json => evaluate(expression, scope)));
  }
}

/** Whether something is a trigger of a document, as far as evaluating it needs. */
export const isTrigger = (spec: unknown): spec is Trigger =>
  isObject(spec) && typeof spec["on"] === "string";
