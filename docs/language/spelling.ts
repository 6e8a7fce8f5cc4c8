/**
 * Checks the spelling of every tracked text, by an English dictionary and the words of this project, `project-words.txt`.
 * `npm run lint:spelling -- --write` sorts that list, and removes what no text needs. A file that needs wrong words names
 * them in a comment, as "Misspelt on purpose: dealy".
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { decodeTrie } from "cspell-trie-lib";
import { textsOf } from "./texts.ts";
import { print, readsAPart, trackedTexts } from "./tracked.ts";

const LIST = fileURLToPath(new URL("project-words.txt", import.meta.url));
const DICTIONARY = new URL(
  "en_US.trie.gz",
  pathToFileURL(createRequire(import.meta.url).resolve("@cspell/dict-en_us")),
);
const SHORTEST = 3;

const listed = readFileSync(LIST, "utf8").split("\n").filter(Boolean);
const project = new Set(listed);
const english = decodeTrie(gunzipSync(readFileSync(DICTIONARY)));
const needed = new Set<string>();
const isEnglish = new Map<string, boolean>();

let faults = 0;
for (const path of trackedTexts()) {
  const source = readFileSync(path, "utf8");
  const excused = new Set(/misspelt on purpose: ([\w, ]+)/i.exec(source)?.[1]?.split(/\W+/));
  for (const { line, words } of textsOf(path, source)) {
    for (const word of wordsOf(words)) {
      if (excused.has(word) || isKnown(word)) continue;
      faults += 1;
      print(`${path}:${line}: "${word}" is not in the dictionary`);
    }
  }
}
const kept = listed.filter((word) => needed.has(word)).toSorted();
// A part of the texts may need fewer words.
const isTidy = readsAPart() || kept.join("\n") === listed.join("\n");
if (process.argv.includes("--write")) writeFileSync(LIST, `${kept.join("\n")}\n`);
else if (!isTidy)
  print("project-words.txt is not sorted, or has words that no text needs: --write");
print(`${faults} unknown words; add right ones to docs/language/project-words.txt`);
if (faults > 0 || !isTidy) process.exitCode = 1;

/** The words of prose: names of code have capitals inside, digits or punctuation. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/\\(?=['"`])/g, "")
    .replaceAll(/\\[nrt]|\$\{[^}]*\}|https?:\S+|\{@\w+ [^}]*\}|<[^>]*>|&\w+;/g, " ")
    .split(/[\s—–…|]+/)
    .map((token) => token.replaceAll(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, ""))
    .filter((token) => /^\p{L}+(?:['’-]\p{L}+)*$/u.test(token))
    .flatMap((token) => token.replaceAll("’", "'").split("-"))
    .filter((word) => /^\p{Lu}?[\p{Ll}']+$/u.test(word) && word.length >= SHORTEST);
}

function isKnown(word: string): boolean {
  const forms = [word, word.replace(/'s$/, "")].flatMap((form) => [form, form.toLowerCase()]);
  if (forms.some((form) => hasEnglish(form))) return true;
  const own = forms.find((form) => project.has(form));
  if (own !== undefined) needed.add(own);
  return own !== undefined;
}

function hasEnglish(word: string): boolean {
  const known = isEnglish.get(word) ?? english.has(word);
  isEnglish.set(word, known);
  return known;
}
