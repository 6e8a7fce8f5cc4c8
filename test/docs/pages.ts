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

/** The code blocks of a language, in order. */
export function blocksOf({ text }: Page, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...text.matchAll(pattern)].map(([, code]) => code ?? "");
}
