/**
 * Habits that good English has too, but rarely. Their limits are the rates at which two projects of the field have them
 * in docs and comments, Oban and Graphile Worker: the larger of the two.
 */
import type { Habit } from "./habits.ts";

const PER_WORDS = 1000;

export interface RatedHabit extends Habit {
  readonly name: string;
  /** Maximum per 1,000 words, over all texts. */
  readonly perThousand: number;
}

/** Returns how often texts of so many words may have a habit. */
export function allowance({ perThousand }: RatedHabit, words: number): number {
  return Math.ceil((perThousand * words) / PER_WORDS);
}

export const RATED_HABITS: readonly RatedHabit[] = [
  {
    name: "at once",
    // Oban 0.25, Graphile Worker 0.04.
    perThousand: 0.25,
    pattern: /\bat once\b/gi,
    replacement: "immediately; for several at a time, concurrently or together",
  },
  {
    name: "alone",
    // Oban 0.05, Graphile Worker 0.
    perThousand: 0.05,
    // To leave or let alone is another word.
    pattern: /(?<!\b(?:leave|leaves|leaving|left|let)\b[^.;:]{0,20})\balone\b/gi,
    replacement: "only, before the word that it limits; or by itself, separately",
  },
  {
    name: "none",
    // Oban 0.05, Graphile Worker 0.04.
    perThousand: 0.05,
    // A cell of a table isn't a sentence, and neither is a value in quotes.
    pattern: /(?<!["'|]\s*)\bnone\b(?!\s*["'|])/gi,
    replacement: "no and the noun, not, empty, without; null if it does not exist",
  },
  {
    name: "Of …",
    // Neither begins a comment so.
    perThousand: 0,
    pattern: /^\*?\s*Of\b(?! course)/g,
    replacement: "the noun first: the version of …",
  },
  {
    name: "By …",
    perThousand: 0,
    pattern: /^\*?\s*By\b(?! (?:default|convention)\b)/g,
    replacement: "a noun or a verb first: states by name, found by key",
  },
  {
    name: "Undefined: …",
    perThousand: 0,
    pattern: /(?:\b(?:Undefined|Null|Absent|Omitted)|; (?:undefined|null|absent)): /g,
    replacement: "what it means otherwise, then: undefined if …",
  },
];
