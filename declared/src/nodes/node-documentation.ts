/** The documentation of a node type in Markdown, made only from its descriptor. */
import { isObject, type Json } from "../document/json.ts";
import type { NodeDescriptor } from "./descriptor.ts";

/** Members of a schema. Workers in any language may have written them, so each is checked before it is used. */
type Property = Readonly<Record<string, unknown>>;

/** Returns the documentation of a node type as a section of Markdown, with a heading. */
export function nodeTypeDocumentation(descriptor: NodeDescriptor): string {
  const { title, type, effects, output } = descriptor;
  const lines = [
    `## ${title}`,
    "",
    `\`${type}\``,
    "",
    ...nodeTypeFacts(descriptor),
    `- **Effects:** ${effects}`,
    "",
    ...membersOf(output, "output"),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Returns the facts of a node type as lines of Markdown: description, parameters, handles and the rest. */
export function nodeTypeFacts(descriptor: NodeDescriptor): string[] {
  const { description } = descriptor;
  return [
    ...(description === undefined ? [] : [description, ""]),
    ...membersOf(descriptor.params, "parameter"),
    ...factsOf(descriptor),
  ];
}

function membersOf(schema: Json | undefined, what: "parameter" | "output"): string[] {
  const { properties, required } = (isObject(schema) ? schema : {}) as Property;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const rows = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) =>
    rowOf(name, isObject(property) ? property : {}, what === "parameter" && names.includes(name)),
  );
  if (rows.length === 0) return [];
  return [`| ${what} | is | |`, "| --- | --- | --- |", ...rows, ""];
}

function rowOf(name: string, property: Property, isRequired: boolean): string {
  const { title, description, default: standard } = property;
  const examples: readonly unknown[] = Array.isArray(property["examples"])
    ? property["examples"]
    : [];
  const texts = [
    isText(description) ? description : isText(title) ? `${title}.` : "",
    isRequired ? "Required." : "",
    standard === undefined ? "" : `Default: ${shown(standard)}.`,
    property["scope"] === "body" ? "Evaluated at the end of an iteration." : "",
    examples.length === 0 ? "" : `Such as ${examples.map(shown).join(", ")}.`,
  ].filter((text) => text !== "");
  const cells = [`\`${name}\``, kindOf(property), texts.join(" ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
}

function kindOf({ type, enum: values, minimum, maximum, items, widget }: Property): string {
  if (Array.isArray(values)) return values.map(shown).join(", ");
  if (widget === "duration") return "duration";
  if (widget === "expression") return "condition in CEL";
  if (widget === "schema") return "JSON Schema";
  const itemType = isObject(items) ? items["type"] : undefined;
  if (type === "array" && itemType !== undefined && itemType !== "object") {
    return `list of ${namesOf(itemType, KINDS_IN_LISTS)}`;
  }
  const range =
    typeof minimum === "number" && typeof maximum === "number" ? `, ${minimum} to ${maximum}` : "";
  return `${namesOf(type ?? "any value", KINDS)}${range}`;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const namesOf = (types: unknown, names: Readonly<Record<string, string>>): string =>
  [types]
    .flat()
    .map((type) => names[String(type)] ?? String(type))
    .join(" or ");

const KINDS: Readonly<Record<string, string>> = {
  array: "list",
  boolean: "true or false",
  integer: "whole number",
  string: "text",
};
const KINDS_IN_LISTS: Readonly<Record<string, string>> = {
  integer: "whole numbers",
  string: "text",
};

function factsOf(descriptor: NodeDescriptor): string[] {
  const {
    timeout,
    retry,
    isCall = true,
    takesSecrets = isCall,
    isTransaction = false,
    secrets = [],
    hasRollback = false,
  } = descriptor;
  const facts = [
    ["Handles", handlesInMarkdown(descriptor)],
    [
      "Time limit of an attempt",
      timeout === undefined ? "" : `${shown(timeout)} unless the node sets another`,
    ],
    ["Attempts", retry?.attempts === undefined ? "" : String(retry.attempts)],
    ["Secrets", secretsOf(takesSecrets, secrets)],
    ["Rollback", rollbackOf(isTransaction, hasRollback)],
  ].filter(([, value]) => value !== "");
  return facts.map(([name, value]) => `- **${name}:** ${value}`);
}

function secretsOf(takesSecrets: boolean, secrets: readonly string[]): string {
  const opened = secrets.map((name) => `\`${name}\``).join(", ");
  const named = takesSecrets ? "parameters may name them" : "";
  return [opened, named].filter((text) => text !== "").join("; ");
}

function rollbackOf(isTransaction: boolean, hasRollback: boolean): string {
  if (isTransaction) return "not needed: the node commits with the journal";
  return hasRollback ? "undoes the call when the run fails later" : "";
}

/** Handles by which nodes of the type succeed, in Markdown. */
export function handlesInMarkdown({ handles, handlesFrom }: NodeDescriptor): string {
  const own = handles.map((handle) => `\`${handle}\``);
  const given = handlesFrom === undefined ? [] : [`ids of \`${handlesFrom}\``];
  return [...given, ...own].join(", ") || "none";
}

const shown = (value: unknown): string =>
  typeof value === "string" ? `\`${value}\`` : `\`${JSON.stringify(value)}\``;
