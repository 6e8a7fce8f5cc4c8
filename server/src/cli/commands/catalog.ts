/** `oxbow catalog`: what definitions may use, as workers have registered it. */
import type { RegisteredNodeType } from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, withDeclared, withConnection } from "../connection.ts";
import { notFound } from "../exit-codes.ts";
import { printJsonLine, printList, printRows, remark, style } from "../output.ts";
import { showTime } from "../show.ts";

interface CatalogOptions extends ConnectionOptions {
  readonly pool?: string;
}

export function addCatalogCommands(program: Command): void {
  const catalog = program
    .command("catalog")
    .description("list and document the node types, and list the trigger types, of workers");
  addListCommand(catalog);
  addTriggersCommand(catalog);
  addDocsCommand(catalog);
}

const withPool = (command: Command): Command =>
  withConnection(command).option("--pool <pool>", "only those of this pool (default: all pools)");

function addListCommand(catalog: Command): void {
  withPool(catalog.command("list"))
    .description("list node types")
    .action(async (options: CatalogOptions) => {
      const found = await nodeTypes(options);
      if (options.json === true) return found.forEach(printJsonLine);
      if (found.length === 0) return remarkNone();
      const { readDescriptor } = await import("@oxbow/declared/check");
      printRows(
        found.map((each) => {
          const descriptor = readDescriptor(each.descriptor);
          return {
            TYPE: idOf(each),
            POOL: each.pool,
            TITLE: descriptor?.title,
            CATEGORY: descriptor?.category,
            EFFECTS: descriptor?.effects,
            STATE: each.isServed ? "served" : style("yellow", "not served"),
            "LAST SEEN": showTime(each.lastSeenAt),
          };
        }),
      );
    });
}

function addTriggersCommand(catalog: Command): void {
  withPool(catalog.command("triggers"))
    .description("list trigger types")
    .action(async (options: CatalogOptions) => {
      const found = await withDeclared(options, (calls) =>
        calls.catalog.triggerTypes({ pool: options.pool }),
      );
      printList(found, options, {
        none: "No worker has declared trigger types. Triggers may name any topic.",
        row: ({ name, pool, topic, loaded, declaredAt }) => ({
          TYPE: name,
          POOL: pool,
          TOPIC: topic,
          LOADS: loaded.join(", "),
          DECLARED: showTime(declaredAt),
        }),
      });
    });
}

function addDocsCommand(catalog: Command): void {
  withPool(catalog.command("docs"))
    .description("print the documentation of node types, as Markdown")
    .argument("[type...]", "such as slack.post or slack.post@2 (default: all)")
    .action(async (wanted: readonly string[], options: CatalogOptions) => {
      const all = await nodeTypes(options);
      const missing = wanted.find((name) => !all.some((each) => isNamed(each, name)));
      if (missing !== undefined) {
        throw notFound(
          "NODE_TYPE_NOT_FOUND",
          `No worker has registered node type "${missing}". \`oxbow catalog list\` shows the registered ones.`,
        );
      }
      const found = all.filter(
        (each) => wanted.length === 0 || wanted.some((name) => isNamed(each, name)),
      );
      if (found.length === 0) return remarkNone();
      const { nodeTypeDocumentation, readDescriptor } = await import("@oxbow/declared/check");
      const sections = found.flatMap((each) => {
        const descriptor = readDescriptor(each.descriptor);
        return descriptor === undefined ? [] : [{ each, text: nodeTypeDocumentation(descriptor) }];
      });
      if (options.json === true) {
        for (const { each, text } of sections) {
          printJsonLine({ pool: each.pool, type: idOf(each), documentation: text });
        }
      } else process.stdout.write([...new Set(sections.map(({ text }) => text))].join("\n"));
    });
}

const nodeTypes = (options: CatalogOptions): Promise<RegisteredNodeType[]> =>
  withDeclared(options, (calls) => calls.catalog.nodeTypes({ pool: options.pool }));

const idOf = ({ type, version }: RegisteredNodeType): string => `${type}@${version}`;

const isNamed = (each: RegisteredNodeType, name: string): boolean =>
  name === each.type || name === idOf(each);

const remarkNone = (): void =>
  remark("No worker has registered node types. Start one: createDefinitions({ nodes }).serve()");
