/**
 * Writes the facts of each page in `docs/declared/nodes/` from the descriptor of its node type, between two markers of the
 * page, and the list of all types. Run it with `make docs`; a test fails while a page is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BUILT_IN_NODE_TYPES, type NodeDescriptor } from "@oxbow/declared/check";

const DESCRIPTORS = BUILT_IN_NODE_TYPES;

const FOLDER = new URL("declared/nodes/", import.meta.url);
const BEGIN =
  "<!-- Made by `make docs` from the descriptor of the node type: change it in declared/src/nodes/descriptors. -->";
const END = "<!-- End of the descriptor. -->";

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Property;
  readonly widget?: string;
  readonly scope?: string;
}

/** The texts of all pages, by the name of the file. */
export function nodePages(): ReadonlyMap<string, string> {
  const pages = new Map(
    DESCRIPTORS.map((descriptor) => {
      const file = fileOf(descriptor);
      return [file, withFacts(read(file), descriptor)] as const;
    }),
  );
  return pages.set("README.md", between(read("README.md"), listOf(DESCRIPTORS)));
}

/** Pages that belong to no node type. */
export function strayPages(): readonly string[] {
  const known = new Set([...nodePages().keys(), "write-a-node.md"]);
  return readdirSync(FOLDER).filter((file) => !known.has(file));
}

const fileOf = ({ type }: NodeDescriptor): string => `${type.split("@")[0]}.md`;

function read(file: string): string {
  try {
    return readFileSync(new URL(file, FOLDER), "utf8");
  } catch {
    throw new Error(`docs/declared/nodes/${file} is missing: each built-in node type has a page.`);
  }
}

function between(page: string, lines: readonly string[]): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end === -1) throw new Error("A page has lost the markers of its facts.");
  return `${page.slice(0, begin)}${[BEGIN, "", ...lines, "", ""].join("\n")}${page.slice(end)}`;
}

function listOf(descriptors: readonly NodeDescriptor[]): string[] {
  return [
    "| type | | handles | effects |",
    "| --- | --- | --- | --- |",
    ...descriptors.map(
      (descriptor) =>
        `| [\`${descriptor.type}\`](${fileOf(descriptor)}) | ${descriptor.title} | ${handlesOf(descriptor)} | ${descriptor.effects} |`,
    ),
  ];
}

function withFacts(page: string, descriptor: NodeDescriptor): string {
  return between(page, [
    descriptor.description ?? "",
    "",
    ...parametersOf(descriptor),
    ...factsOf(descriptor),
  ]);
}

function parametersOf({ params }: NodeDescriptor): string[] {
  const { properties = {}, required = [] } = params as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  const rows = Object.entries(properties).flatMap(([name, property]) =>
    rowsOf(name, property, required.includes(name)),
  );
  if (rows.length === 0) return [];
  return ["| parameter | is | |", "| --- | --- | --- |", ...rows, ""];
}

function rowsOf(name: string, property: Property, isRequired: boolean): string[] {
  const { title = "", description = "", examples = [], default: standard } = property;
  const texts = [
    description === "" ? `${title}.` : description,
    isRequired ? "Required." : "",
    standard === undefined ? "" : `Default: ${shown(standard)}.`,
    property.scope === "body" ? "Evaluated at the end of an iteration." : "",
    examples.length === 0 ? "" : `Such as ${examples.map(shown).join(", ")}.`,
  ].filter((text) => text !== "");
  return [`| \`${name}\` | ${kindOf(property)} | ${texts.join(" ").replaceAll("|", "\\|")} |`];
}

function kindOf({ type, enum: values, minimum, maximum, items, widget }: Property): string {
  if (values !== undefined) return values.map(shown).join(", ");
  if (widget === "duration") return "duration";
  if (widget === "expression") return "condition in CEL";
  if (widget === "schema") return "JSON Schema";
  const kinds = [type ?? "any value"].flat().map((kind) => KINDS[kind] ?? kind);
  const range = maximum === undefined ? "" : `, ${minimum} to ${maximum}`;
  const kind = `${kinds.join(" or ")}${range}`;
  return type === "array" && items?.type !== undefined && items.type !== "object"
    ? `list of ${[items.type]
        .flat()
        .map((each) => KINDS_IN_LISTS[each] ?? each)
        .join(" or ")}`
    : kind;
}

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
  } = descriptor;
  const facts = [
    ["Handles", handlesOf(descriptor)],
    [
      "Time limit of an attempt",
      timeout === undefined ? "" : `${shown(timeout)} unless the node sets another`,
    ],
    ["Attempts", retry?.attempts === undefined ? "" : String(retry.attempts)],
    ["Secrets", takesSecrets ? "parameters may name them" : ""],
    ["Rollback", isTransaction ? "none: the node commits with the journal" : ""],
  ].filter(([, value]) => value !== "");
  return facts.map(([name, value]) => `- **${name}:** ${value}`);
}

function handlesOf({ handles, handlesFrom }: NodeDescriptor): string {
  const own = handles.map((handle) => `\`${handle}\``);
  const given = handlesFrom === undefined ? [] : [`ids of \`${handlesFrom}\``];
  return [...given, ...own].join(", ") || "none";
}

const shown = (value: unknown): string =>
  typeof value === "string" ? `\`${value}\`` : `\`${JSON.stringify(value)}\``;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of nodePages()) writeFileSync(new URL(file, FOLDER), text);
}
