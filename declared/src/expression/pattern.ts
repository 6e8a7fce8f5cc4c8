/** Patterns of `matches()`: RE2, whose time is linear in the text, so that an end user can't write one that hangs. */
import { RE2JS } from "@bufbuild/re2";
import { EXPRESSION_LIMITS } from "./limits.ts";

export interface Pattern {
  /** Whether a part of the text matches. */
  readonly test: (text: string) => boolean;
  /** Instructions of the compiled pattern. */
  readonly size: number;
}

/** Throws RangeError if the pattern isn't one of RE2, or is too large. */
export function compilePattern(source: string): Pattern {
  const { pattern: longest, patternSize } = EXPRESSION_LIMITS;
  if (source.length > longest) {
    throw new RangeError(`the pattern has ${source.length} characters, of at most ${longest}`);
  }
  // Before it is compiled: repetitions make hundreds of thousands of instructions of 500 characters.
  if (sizeBound(source) > 2 * patternSize) {
    throw new RangeError(`the pattern compiles to more than ${patternSize} instructions`);
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`the pattern isn't one of RE2: ${reason}`, { cause: error });
  }
  const size = compiled.re2Input.prog.numInst();
  if (size > patternSize) {
    throw new RangeError(`the pattern compiles to ${size} instructions, of at most ${patternSize}`);
  }
  return { test: (text) => compiled.test(text), size };
}

/** Escapes, quoted text, classes, repetitions, and single characters. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\(?:x\{[^}]*\}|p\{[^}]*\}|.)|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gisu;

/** About how many instructions a pattern compiles to, and rarely fewer. */
function sizeBound(source: string): number {
  const outer: number[] = [];
  let size = 0;
  /** The size of the part before a repetition. */
  let last = 0;
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (token === "(") {
      outer.push(size);
      [size, last] = [0, 0];
    } else if (token === ")") {
      last = size + 2;
      size = (outer.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const repeated = (last + 1) * Math.max(Number(least), Number(most ?? 0), 1);
      size += repeated - last;
      last = repeated;
    } else {
      const own = token.startsWith("\\Q") ? token.length : 1;
      // A sign such as * repeats the part before it.
      last = /^[*+?]$/.test(token) ? last + own : own;
      size += own;
    }
  }
  return size;
}
