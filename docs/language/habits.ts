/**
 * Words and phrases that make English read like a translation, each with its replacement. Every pattern matches a
 * habit rather than a rule of grammar, so a text may use one where it is the right word: see `check.ts`.
 */
export interface Habit {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly replacement: string;
}

export const HABITS: readonly Habit[] = [
  {
    pattern: /\bwhoever\b|\bwhomever\b|(?<=^|[.:;] )Who\b(?![^.;]*\?)/g,
    replacement: "name the actor: the worker, the client, a transaction",
  },
  {
    pattern: /\b(?:some|no|any|every)body\b/gi,
    replacement: "name the actor, or use the passive: the client, no worker, another transaction",
  },
  {
    pattern: /\b(?:tells?|told|telling)\b/gi,
    replacement: "reports, returns, shows, distinguishes",
  },
  { pattern: /\b(?:says|said|saying)\b/gi, replacement: "states, specifies, reports, contains" },
  { pattern: /\b(?:go|goes|going|went|gone) on\b/gi, replacement: "continue, resume, proceed" },
  {
    pattern: /\b(?:is|are|was|were) there(?= (?:as|already|before|since|until|when)\b|[.,;:)]|$)/gi,
    replacement: "exists, is available, is stored",
  },
  { pattern: /\banew\b/gi, replacement: "again, from the start" },
  { pattern: /\bmeanwhile\b/gi, replacement: "in the meantime, while …, since then" },
  { pattern: /\b(?:beneath|beside)\b/gi, replacement: "under, below, next to, with" },
  {
    pattern: /\bthose (?:that|who|which)\b/gi,
    replacement: "repeat the noun, or use a participle",
  },
  {
    pattern: /\bof (?:its|their|one's|his|our|your|my) own\b/gi,
    replacement: "its own …, a separate …",
  },
  {
    pattern: /\b(?:is|are|was|were) to be\b/gi,
    replacement: "must be, should be, will be; or the plain verb",
  },
  {
    pattern: /(?<=^|[.:;] )What\b(?![^.;]*\?)/g,
    replacement: "begin with the actor or the thing",
  },
  { pattern: /\bbelongs? into\b/gi, replacement: "belongs in, goes in" },
];
