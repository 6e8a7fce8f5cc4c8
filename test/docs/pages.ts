/** The documentation, as the tests read it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of code, with the comments around it that readers don't see: CONTRIBUTING.md has their forms. */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** TypeScript that runs before the block, in its scope: what the page leaves to the reader. */
  readonly given: string;
  /** TypeScript that runs after the block, in its scope. */
  readonly afterwards: string;
  /** The path of the test that runs the block instead of `executed.test.ts`. */
  readonly runBy: string | undefined;
  /** Why no test can run the block. */
  readonly leftOut: string | undefined;
}

const FENCE = /^( *)```([a-z]+)[^\n]*\n([\s\S]*?)^\1```$/gm;
const COMMENT_BEFORE = /<!-- (given|run by|left out:)\s((?:(?!-->)[\s\S])*?)\s*-->\n+$/;
const COMMENT_AFTER = /^\n+<!-- then\s((?:(?!-->)[\s\S])*?)\s*-->/;

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** All pages for readers: those in the root, in docs/ and in examples/. */
export function allPages(): Page[] {
  const below = ["docs", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  );
  return [...readdirSync(ROOT), ...below]
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
    .map((path) => readPage(path));
}

/** The code blocks of all languages, in order. */
export function allBlocksOf({ text }: Page): Block[] {
  const [, all] = /^<!-- all run by (\S+) -->$/m.exec(text) ?? [];
  return [...text.matchAll(FENCE)].map((match) => {
    const [fence, indent = "", language = "", indented = ""] = match;
    const [, kind, comment = ""] = COMMENT_BEFORE.exec(text.slice(0, match.index)) ?? [];
    const [, afterwards = ""] = COMMENT_AFTER.exec(text.slice(match.index + fence.length)) ?? [];
    return {
      line: text.slice(0, match.index).split("\n").length,
      language,
      code: indented.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      given: kind === "given" ? comment : "",
      afterwards,
      runBy: kind === "run by" ? comment : all,
      leftOut: kind === "left out:" ? comment : undefined,
    };
  });
}

/** The code blocks of a language, in order. */
export function blocksOf({ text }: Page, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...text.matchAll(pattern)].map(([, code]) => code ?? "");
}
