/**
 * Writes the facts of each page in `docs/declared/nodes/` from the descriptor of its node type, between two markers of the
 * page, and the list of all types. Run it with `make docs`; a test fails while a page is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  BUILT_IN_NODE_TYPES,
  handlesInMarkdown,
  type NodeDescriptor,
  nodeTypeFacts,
} from "@oxbow/declared/check";

const DESCRIPTORS = BUILT_IN_NODE_TYPES;

const FOLDER = new URL("declared/nodes/", import.meta.url);
const BEGIN =
  "<!-- Made by `make docs` from the descriptor of the node type: change it in declared/src/nodes/descriptors. -->";
const END = "<!-- End of the descriptor. -->";

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
        `| [\`${descriptor.type}\`](${fileOf(descriptor)}) | ${descriptor.title} | ${handlesInMarkdown(descriptor)} | ${descriptor.effects} |`,
    ),
  ];
}

function withFacts(page: string, descriptor: NodeDescriptor): string {
  return between(page, nodeTypeFacts(descriptor));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of nodePages()) writeFileSync(new URL(file, FOLDER), text);
}
