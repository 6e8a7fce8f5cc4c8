/** Types of values with bindings at any depth, and whether they fit a schema. */
import { readBinding, type ReadBinding } from "../document/binding.ts";
import { isList, isObject, type Json, type JsonObject } from "../document/json.ts";
import { readPath } from "../document/path.ts";
import { childPointer } from "../document/pointer.ts";
import { InvalidExpression } from "../expression/expression-errors.ts";
import type { ExpressionCache } from "../expression/expression-cache.ts";
import type { Expression } from "../expression/expression.ts";
import { parseTemplate } from "../expression/template.ts";
import { fitOf } from "../types/assignable.ts";
import type { Environment } from "../types/environment.ts";
import { typeOfExpression, typeOfGuard } from "../types/expression-type.ts";
import { type ResolveReference, typeOfJson, typeOfSchema } from "../types/from-schema.ts";
import { typeOfPath } from "../types/path-type.ts";
import { closestTo, hintOfClosest } from "../types/stepping.ts";
import { ALWAYS, listOf, TEXT, type Type, unionOf, UNKNOWN } from "../types/type.ts";
import type { Catalog } from "./catalog.ts";
import type { Findings } from "./findings.ts";
import type { ReferenceCollector } from "./references.ts";

export interface BindingServices {
  readonly catalog: Catalog;
  readonly expressions: ExpressionCache;
  readonly references: ReferenceCollector;
  readonly resolve: ResolveReference;
}

/** Names of values in the text of an expression. */
const CONFIG_READ = /\bconfig(?:\.([_a-zA-Z]\w*)|\[\s*(["'])(.*?)\2\s*\])/g;

/** Reads bindings in one environment, and reports their problems. */
export class Bindings {
  private readonly services: BindingServices;
  private readonly environment: Environment;
  private readonly findings: Findings;
  private readonly allowsSecrets: boolean;

  /** @param allowsSecrets - Whether secrets are allowed, or their places are checked apart. */
  constructor(
    services: BindingServices,
    environment: Environment,
    findings: Findings,
    allowsSecrets: boolean,
  ) {
    this.allowsSecrets = allowsSecrets;
    this.services = services;
    this.environment = environment;
    this.findings = findings;
  }

  /** Checks a guard. Returns it unless it is no expression. */
  guard(text: string, pointer: string): Expression | undefined {
    const expression = this.parse(text, pointer);
    if (expression === undefined) return undefined;
    this.findings.ofTypes(pointer, typeOfGuard(expression, this.environment).problems);
    return expression;
  }

  /** Checks an expression. Returns its type. */
  expression(text: string, pointer: string): Type {
    const expression = this.parse(text, pointer);
    if (expression === undefined) return UNKNOWN;
    const { type, problems } = typeOfExpression(expression, this.environment);
    this.findings.ofTypes(pointer, problems);
    return type;
  }

  type(value: Json, pointer: string): Type {
    const binding = readBinding(value);
    if (binding !== undefined) return this.bindingType(binding, pointer);
    if (isList(value)) {
      return listOf(unionOf(value.map((item, at) => this.type(item, childPointer(pointer, at)))));
    }
    if (!isObject(value)) return typeOfJson(value, true);
    const members = Object.entries(value).map(
      ([name, member]) =>
        [name, { type: this.type(member, childPointer(pointer, name)), presence: ALWAYS }] as const,
    );
    return { kind: "object", members: new Map(members), others: undefined };
  }

  /** Checks a value with bindings against the wanted type, as deep as it is written out. */
  fit(value: Json, wanted: Type, pointer: string, label: string): void {
    if (wanted.kind === "unknown") {
      this.type(value, pointer);
      return;
    }
    const isBinding = readBinding(value) !== undefined;
    if (!isBinding && wanted.kind === "object" && isObject(value)) {
      this.fitObject(value, wanted, pointer);
    } else if (!isBinding && wanted.kind === "list" && isList(value)) {
      for (const [at, item] of value.entries()) {
        this.fit(item, wanted.of, childPointer(pointer, at), `item ${at} of ${label}`);
      }
    } else this.compare(this.type(value, pointer), wanted, pointer, label);
  }

  private fitObject(
    value: JsonObject,
    wanted: Extract<Type, { readonly kind: "object" }>,
    pointer: string,
  ): void {
    for (const [name, { presence }] of wanted.members) {
      if (presence.kind !== "always" || Object.hasOwn(value, name)) continue;
      const message = `the parameter "${name}" is missing`;
      const own = childPointer(pointer, name);
      this.findings.error(own, "MISSING_PARAMETER", message, `Give it a value or a binding.`);
    }
    for (const [name, member] of Object.entries(value)) {
      const own = childPointer(pointer, name);
      const known = wanted.members.get(name)?.type ?? wanted.others;
      if (known !== undefined) this.fit(member, known, own, `"${name}"`);
      else {
        this.type(member, own);
        const names = [...wanted.members.keys()];
        const hint = hintOfClosest(name, names, `Remove it; there are ${names.join(", ")}.`);
        const message = `there is no parameter "${name}"`;
        this.findings.error(own, "UNKNOWN_PARAMETER", message, hint);
      }
    }
  }

  private compare(given: Type, wanted: Type, pointer: string, label: string): void {
    const fit = fitOf(given, wanted);
    if (fit.kind === "yes") return;
    const where = fit.path.length === 0 ? "" : ` at ${fit.path.join(".").replaceAll(".[]", "[]")}`;
    const message = `${label} doesn't fit${where}: ${fit.reason}`;
    if (fit.kind === "no") this.findings.error(pointer, "TYPE_MISMATCH", message, fit.hint);
    else {
      const uncertain = message.replace("doesn't fit", "may not fit");
      this.findings.warning(pointer, "MAY_MISMATCH", uncertain, fit.hint);
    }
  }

  private bindingType(binding: ReadBinding, pointer: string): Type {
    switch (binding.kind) {
      case "path":
        return this.pathType(binding.$path, binding.default, childPointer(pointer, "$path"));
      case "cel":
        return this.expression(binding.$cel, childPointer(pointer, "$cel"));
      case "text":
        this.template(binding.$text, childPointer(pointer, "$text"));
        return TEXT;
      case "secret":
        this.secret(binding.$secret, pointer);
        return TEXT;
      case "config":
        return this.config(binding.$config, pointer);
      case "resource":
        this.resource(binding.$resource.type, binding.$resource.id, pointer);
        return TEXT;
      case "literal":
        return typeOfJson(binding.$literal, true);
      default:
        return binding satisfies never;
    }
  }

  private pathType(text: string, otherwise: Json | undefined, pointer: string): Type {
    const [variable, ...steps] = readPath(text) ?? [];
    if (typeof variable !== "string") {
      const hint = 'Write names with dots between them, like nodes.fetch.output.items[0]["a b"].';
      this.findings.error(pointer, "INVALID_PATH", `"${text}" isn't a path`, hint);
      return UNKNOWN;
    }
    if (variable === "config" && typeof steps[0] === "string") {
      // A default is for environments that lack the value.
      if (otherwise === undefined) this.nameConfig(steps[0], pointer);
      else this.services.references.add("configs", steps[0]);
    }
    const { type, problems } = typeOfPath(
      [variable, ...steps],
      otherwise === undefined ? undefined : { value: otherwise },
      this.environment,
    );
    this.findings.ofTypes(
      pointer,
      problems.map((problem) => ({ ...problem, end: text.length })),
    );
    return type;
  }

  private template(text: string, pointer: string): void {
    try {
      const { parts } = parseTemplate(text, (part) => this.services.expressions.parse(part));
      for (const part of parts) {
        if (typeof part === "string") continue;
        this.note(part.expression, pointer);
        const { problems } = typeOfExpression(part.expression, this.environment);
        this.findings.ofTypes(pointer, problems, part.start);
      }
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error;
      this.findings.ofSyntax(pointer, error);
    }
  }

  private parse(text: string, pointer: string): Expression | undefined {
    try {
      const expression = this.services.expressions.parse(text);
      this.note(expression, pointer);
      return expression;
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error;
      this.findings.ofSyntax(pointer, error);
      return undefined;
    }
  }

  private note(expression: Expression, pointer: string): void {
    for (const { type, id } of expression.resources) this.resource(type, id, pointer);
    for (const [, member, , index] of expression.text.matchAll(CONFIG_READ)) {
      const name = member ?? index;
      if (name !== undefined) this.nameConfig(name, pointer);
    }
  }

  private nameConfig(name: string, pointer: string): void {
    const { catalog, references } = this.services;
    references.add("configs", name);
    if (catalog.config?.(name)?.isGuess !== true) return;
    const message = `the database has no value "${name}"`;
    const hint = `Set it by \`oxbow config set ${name} <value>\`, unless the workers have one.`;
    this.findings.warning(pointer, "UNKNOWN_CONFIG", message, hint);
  }

  private resource(type: string, id: string, pointer: string): void {
    const { catalog, references } = this.services;
    references.addResource({ type, id, pointer });
    const described = catalog.resourceType?.(type);
    const close = closestTo(type, catalog.resourceTypes ?? []);
    const meant = close === undefined ? "" : `Did you mean "${close}"? `;
    if (catalog.resourceType !== undefined && described === undefined) {
      const message = `there is no resource type "${type}"`;
      this.findings.error(pointer, "UNKNOWN_RESOURCE", message, `${meant}Choose another resource.`);
    } else if (described?.isGuess === true) {
      const message = `no worker has registered the resource type "${type}"`;
      const hint = `${meant}Start a worker that has the type, or choose another resource.`;
      this.findings.warning(pointer, "UNKNOWN_RESOURCE", message, hint);
    } else if (catalog.hasResource?.(type, id) === false) {
      const message = `there is no ${type} "${id}"`;
      this.findings.error(pointer, "UNKNOWN_RESOURCE", message, "Choose another resource.");
    }
  }

  private secret(name: string, pointer: string): void {
    this.services.references.add("secrets", name);
    if (!this.allowsSecrets) this.findings.misplacedSecret(name, pointer);
    if (this.services.catalog.hasSecret?.(name) !== false) return;
    const message = `there is no secret "${name}"`;
    this.findings.error(
      pointer,
      "UNKNOWN_SECRET",
      message,
      "Add it to the secrets of the workers.",
    );
  }

  private config(name: string, pointer: string): Type {
    this.nameConfig(name, pointer);
    const { catalog, resolve } = this.services;
    if (catalog.config === undefined) return UNKNOWN;
    const found = catalog.config(name);
    if (found !== undefined) return typeOfSchema(found.schema, resolve);
    const message = `there is no config "${name}"`;
    this.findings.error(pointer, "UNKNOWN_CONFIG", message, "Set it in this environment first.");
    return UNKNOWN;
  }
}
