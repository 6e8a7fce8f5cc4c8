/** The prose in a file: paragraphs of Markdown, comments, `COMMENT ON`, and literals that read as sentences. */

export interface Text {
  readonly line: number;
  readonly words: string;
}

const READERS: Readonly<Record<string, (source: string) => Text[]>> = {
  md: (source) => paragraphs(withoutCode(source)),
  ts: (source) => [...matches(source, TYPESCRIPT)],
  tsx: (source) => [...matches(source, TYPESCRIPT)],
  js: (source) => [...matches(source, TYPESCRIPT)],
  sql: (source) => [...matches(source, SQL)],
  yml: (source) => [...matches(source, HASH)],
  yaml: (source) => [...matches(source, HASH)],
};

/** Comments, then literals; a literal ends at its quote, unless that is escaped. */
const TYPESCRIPT =
  /\/\*\*?([\s\S]*?)\*\/|(?<![:"'`\w])\/\/(.*)|"((?:[^"\\\n]|\\.)*)"|(?<!\w)'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
const SQL = /--(.*)|\$comment\$([\s\S]*?)\$comment\$|'((?:[^']|'')*)'/g;
const HASH = /(?:^|\s)#(.*)/g;

export function textsOf(path: string, source: string): Text[] {
  const read = READERS[path.slice(path.lastIndexOf(".") + 1)];
  return read?.(source) ?? [];
}

/** Blanks out code, so that lines keep their numbers. */
function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(`{1,2})(?!`)[^\n]*?(?<!`)\1(?!`)/g, "`code`")
    .replaceAll(/\]\([^)]*\)/g, "]");
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, " ");
}

function paragraphs(text: string): Text[] {
  return text
    .split("\n")
    .map((words, index) => ({ line: index + 1, words: words.replace(/^[\s>|#*-]+/, "") }))
    .filter(({ words }) => words !== "");
}

function* matches(source: string, pattern: RegExp): Iterable<Text> {
  for (const match of source.matchAll(pattern)) {
    const found = match.slice(1).find((group) => group !== undefined) ?? "";
    if (!/\w \w/.test(found)) continue;
    const line = source.slice(0, match.index).split("\n").length;
    const words = found.replaceAll(/\s*\n\s*\*? ?/g, " ").replaceAll(/`[^`]*`/g, "code");
    yield { line, words: words.trim() };
  }
}
