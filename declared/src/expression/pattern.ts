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
