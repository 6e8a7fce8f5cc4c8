/**
 * Finds English that reads like a translation, in every tracked text: at most one habit in 1,000 words, in each file and
 * overall, and rated habits within their rates overall. `npm run lint:language -- --all sdk/src/worker` lists every habit
 * that is left under a path.
 */
import { readFileSync } from "node:fs";
import { allowance, RATED_HABITS } from "./rated-habits.ts";
import { textsOf, type Text } from "./texts.ts";
import { print, trackedTexts } from "./tracked.ts";
import { type Habit, HABITS } from "./habits.ts";

const PER_WORDS = 1000;

interface Finding {
  readonly at: string;
  readonly found: string;
  readonly replacement: string;
}

interface Report {
  readonly path: string;
  readonly words: number;
  readonly findings: readonly Finding[];
  readonly texts: readonly Text[];
}

const listsAll = process.argv.includes("--all");
const reports = trackedTexts()
  .map((path) => examine(path))
  .filter(({ words }) => words > 0);

const words = sum(reports.map((report) => report.words));
const findings = sum(reports.map((report) => report.findings.length));
const over = reports.filter((report) => report.findings.length > allowed(report.words));
list((listsAll ? reports : over).flatMap((report) => report.findings));
const rate = (findings / Math.max(words, 1)) * PER_WORDS;
print(
  `${findings} habits in ${words} words: ${rate.toFixed(2)} per 1,000 (at most 1), ${over.length} files have too many`,
);
if (over.length > 0 || rate > 1) process.exitCode = 1;

for (const habit of RATED_HABITS) {
  const rated = reports.flatMap(({ path, texts }) => find([habit], path, texts));
  const isOver = rated.length > allowance(habit, words);
  if (isOver || listsAll) list(rated);
  print(`"${habit.name}": ${rated.length} (at most ${allowance(habit, words)})`);
  if (isOver) process.exitCode = 1;
}

function list(found: readonly Finding[]): void {
  for (const { at, found: text, replacement } of found)
    print(`${at}: "${text}": write ${replacement}`);
}

function examine(path: string): Report {
  const texts = textsOf(path, readFileSync(path, "utf8"));
  const wordsOfFile = sum(texts.map(({ words: text }) => countWords(text)));
  return { path, texts, words: wordsOfFile, findings: find(HABITS, path, texts) };
}

function find(habits: readonly Habit[], path: string, texts: readonly Text[]): Finding[] {
  return texts.flatMap(({ line, words: text }) =>
    habits.flatMap(({ pattern, replacement }) =>
      [...text.matchAll(pattern)].map(([match]) => ({
        at: `${path}:${line}`,
        found: match,
        replacement,
      })),
    ),
  );
}

function allowed(wordsOfFile: number): number {
  return Math.ceil(wordsOfFile / PER_WORDS);
}

function countWords(text: string): number {
  return text.match(/[\p{L}\d][\p{L}\d'’-]*/gu)?.length ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
