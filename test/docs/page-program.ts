/**
 * Makes one program of all blocks of a page. The scope of a block contains those of the blocks before it: each is
 * nested in the one above, so that it uses their names and may declare them again.
 */
import { type Block, allBlocksOf, type Page } from "./pages.ts";

/** Printed when a block has been executed. */
export const markOf = ({ line }: Block): string => `executed the block at line ${line}`;

/** Names that fragments of pages use without importing them, by their module. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  "@oxbow/declared/client": ["definitionsOf"],
  "@oxbow/sdk": ["createWorkflowClient"],
  "@oxbow/sdk/runtime": [
    "type Context",
    "createWorker",
    "NonRetriableError",
    "RetryAfterError",
    "StepFailed",
    "workflow",
  ],
};
const IMPORT = /^import (.*?) from "([^"]+)";$/gm;

/** @param isElsewhere Whether a block is executed by another test, or not at all. */
export function programOf(page: Page, isElsewhere: (block: Block) => boolean): string {
  const blocks = allBlocksOf(page).filter((block) => !isElsewhere(block));
  const imports = importsOf(blocks);
  const nested = blocks.map(
    (block) => `{
${block.given}
{
${imports.within(block)}
${statementsOf(block)}
${block.afterwards}
console.log(${JSON.stringify(markOf(block))});
`,
  );
  return `${imports.text}
import * as page from "./page-harness.ts";
const { client, url } = page.env;
${nested.join("")}${"}}".repeat(blocks.length)}
await page.end();
`;
}

function statementsOf({ language, code }: Block): string {
  switch (language) {
    case "ts":
    case "js":
      return isBodyOfRun(code)
        ? `await page.inRun(async (ctx: Context) => {\n${executable(code)}\n});`
        : executable(code);
    case "sql":
    case "sh":
    case "python":
    case "yaml":
    case "promql":
      return `await page.${language}(${JSON.stringify(code)});`;
    default:
      throw new Error(`No test can execute ${language}: add it here.`);
  }
}

/** Whether code is a fragment of the body of a workflow: it uses a context that it doesn't declare. */
const isBodyOfRun = (code: string): boolean => /\bctx\b/.test(code) && !/\(ctx\b/.test(code);

/** Without imports and exports, with nothing in the gaps that the page leaves, and with a server that exists. */
function executable(code: string): string {
  return code
    .replaceAll(IMPORT, "")
    .replaceAll(/^export (?=const|function)/gm, "")
    .replaceAll(/\{ … \}| …$/gm, " {}")
    .replaceAll('"https://oxbow.example.com"', "page.serverUrl");
}

/** All imports of a page, each once, and the usual names; a type of the same name is declared in its block. */
function importsOf(blocks: readonly Block[]) {
  const lines = new Map<string, string>();
  const conflicts = new Map<Block, string>();
  const add = (names: string, module: string, block?: Block): void => {
    for (const { name, clause } of bindings(names)) {
      const line = `import ${clause} from "${module}";`;
      if (!lines.has(name)) lines.set(name, line);
      else if (block !== undefined && lines.get(name) !== line) {
        conflicts.set(block, `type ${name} = import("${module}").${name};`);
      }
    }
  };
  for (const [module, names] of Object.entries(USUAL)) add(`{ ${names.join(", ")} }`, module);
  for (const block of blocks) {
    if (block.language !== "ts" && block.language !== "js") continue;
    for (const [, names = "", module = ""] of block.code.matchAll(IMPORT))
      add(names, module, block);
  }
  return {
    text: [...lines.values()].join("\n"),
    within: (block: Block): string => conflicts.get(block) ?? "",
  };
}

/** One clause a name: `a, { type b, c }` has three. */
function bindings(names: string): { readonly name: string; readonly clause: string }[] {
  const [, isType = "", whole = "", named = ""] =
    /^(type )?(\w+)?(?:, )?(?:\{(.*)\})?$/.exec(names) ?? [];
  const inBraces = named
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => ({
      name: name.replace("type ", ""),
      clause: `{ ${isType}${name} }`,
    }));
  return whole === "" ? inBraces : [{ name: whole, clause: whole }, ...inBraces];
}
