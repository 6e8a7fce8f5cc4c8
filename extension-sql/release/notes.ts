/** The section of the changelog for a release, and what a reader may expect of it. */

/** Two pages: the story of the release, and the list of its changes. */
const MAX_WORDS = 2200;

/** The text under the heading of the version; undefined if there is no heading with a date. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const heading = new RegExp(
    String.raw`^\[${version.replaceAll(".", String.raw`\.`)}\] - \d{4}-\d{2}-\d{2}\n`,
  );
  return changelog
    .split(/^## (?=\[)/m)
    .find((section) => heading.test(section))
    ?.replace(heading, "")
    .trim();
}

/** One sentence for each habit that makes a section hard to read, with its remedy. */
export function complaintsAbout(section: string): string[] {
  const headings = [...section.matchAll(/^### .*$/gm)].map(([heading]) => heading);
  const repeated = headings.filter((heading, index) => headings.indexOf(heading) < index);
  const words = section.split(/\s+/).length;
  return [
    ...repeated.map((heading) => `CHANGELOG.md repeats "${heading}": join the two lists`),
    ...(words > MAX_WORDS
      ? [`CHANGELOG.md has ${words} words for this release: shorten them to ${MAX_WORDS}`]
      : []),
  ];
}

/** The section as it stands on another page, where links from the root of the repository need a base. */
export function withLinksFrom(section: string, base: string): string {
  return section.replaceAll(/\]\((?!https?:|#)/g, `](${base}/`);
}
