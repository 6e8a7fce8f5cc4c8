/** The refusals of `make release`, and the archive and the notes that it builds. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  disagreements,
  publishingObstacles,
  releaseVersion,
} from "../../extension-sql/release/agreement.ts";
import { extensionArchive } from "../../extension-sql/release/archive.ts";
import { sectionOf, withLinksFrom } from "../../extension-sql/release/notes.ts";
import { PACKAGES } from "../../extension-sql/release/packages.ts";
import { releasedVersions } from "../../extension-sql/released.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PG_CONFIG = "/usr/bin/pg_config";
const folder = mkdtempSync(join(tmpdir(), "oxbow-release-"));
const root = join(folder, "repository");
const version = releaseVersion(ROOT);
const script = `extension-sql/released/oxbow--${version}.sql.gz`;
const built = `extension-sql/dist/extension/oxbow--${version}.sql`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));

/** The files that name the version, of a commit that is ready to be released. */
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  for (const path of [
    "LICENSE",
    "CHANGELOG.md",
    ...PACKAGES.map((name) => `${name}/package.json`),
    "deploy/kubernetes/deployment.yaml",
    "docs/operate/containers.md",
    "extension-sql/oxbow.control",
    "extension-sql/Makefile",
    "extension-sql/README.md",
    "extension-sql/released",
    "extension-sql/dist/extension",
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  }
  writeFileSync(join(root, script), gzipSync(readFileSync(join(root, built))));
  edit("CHANGELOG.md", (text) =>
    text.replace(/^## \[Unreleased\]\n/m, `## [Unreleased]\n\n## [${version}] - 2026-01-31\n`),
  );
});

describe("a release", () => {
  it("is made when everything names the same version", () => {
    expect(disagreements(root)).toEqual([]);
  });

  it.each([
    [
      "a package of another version",
      "server/package.json",
      /"version": "[\d.]+"/,
      '"version": "9.9.9"',
      "server/package.json has version 9.9.9",
    ],
    [
      "a server for another SDK",
      "server/package.json",
      /"@oxbow\/sdk": "[^"]+"/,
      '"@oxbow/sdk": "9.9.9"',
      "depends on @oxbow/sdk 9.9.9",
    ],
    [
      "a server for a range of SDKs, whose internal doors may differ",
      "server/package.json",
      /"@oxbow\/sdk": "/,
      '"@oxbow/sdk": "^',
      "depends on @oxbow/sdk ^",
    ],
    [
      "an SDK for another fleet",
      "sdk/package.json",
      /"@oxbow\/fleet": "[^"]+"/,
      '"@oxbow/fleet": "9.9.9"',
      "sdk/package.json depends on @oxbow/fleet 9.9.9",
    ],
    [
      "an editor for another checker",
      "editor/package.json",
      /"@oxbow\/declared": "[^"]+"/,
      '"@oxbow/declared": "9.9.9"',
      "depends on @oxbow/declared 9.9.9",
    ],
    [
      "an image of another version",
      "deploy/kubernetes/deployment.yaml",
      /oxbow-server:[\d.]+/,
      "oxbow-server:9.9.9",
      "names oxbow-server:9.9.9",
    ],
    [
      "unreleased entries",
      "CHANGELOG.md",
      /^## \[Unreleased\]\n/m,
      "## [Unreleased]\n\n- More.\n",
      "has entries under [Unreleased]",
    ],
    [
      "a changelog without the version",
      "CHANGELOG.md",
      /^## \[[\d.]+\] - .*\n/m,
      "## [9.9.9] - 2026-01-31\n",
      "CHANGELOG.md has no section",
    ],
    [
      "a changelog without a date",
      "CHANGELOG.md",
      / - 2026-01-31\n/,
      "\n",
      "CHANGELOG.md has no section",
    ],
    [
      "a heading that is repeated",
      "CHANGELOG.md",
      /^### Added\n/m,
      "### Added\n\n- More.\n\n### Added\n",
      'repeats "### Added"',
    ],
    [
      "notes that are too long",
      "CHANGELOG.md",
      /^### Added\n/m,
      `### Added\n\n- ${"More. ".repeat(2200)}\n`,
      "words for this release",
    ],
    [
      "a released script that is older than the source",
      built,
      /$/,
      "-- newer",
      "differs from the script that is built",
    ],
  ])("is refused for %s", (_reason, path, pattern, replacement, obstacle) => {
    edit(path, (text) => text.replace(pattern, replacement));
    expect(disagreements(root)).toEqual([expect.stringContaining(obstacle)]);
  });

  it("is refused without a released script", () => {
    rmSync(join(root, script));
    expect(disagreements(root)).toEqual([expect.stringContaining(`${script} is missing`)]);
  });
});

describe("publishing from GitHub", () => {
  const env = {
    GITHUB_REF_TYPE: "tag",
    GITHUB_REF_NAME: `v${version}`,
    GITHUB_REPOSITORY: "acme/oxbow",
  };
  const url = "git+https://github.com/acme/oxbow.git";

  it("requires a tag of the version, and packages that name the repository", () => {
    for (const name of PACKAGES) {
      edit(`${name}/package.json`, (text) => {
        const manifest = JSON.parse(text) as object;
        return JSON.stringify({ ...manifest, repository: { type: "git", url } });
      });
    }
    expect(publishingObstacles(root, env)).toEqual([]);
    expect(publishingObstacles(root, { ...env, GITHUB_REF_NAME: "v9.9.9" })).toEqual([
      `the tag is v9.9.9: tag the commit of v${version}`,
    ]);
    const fork = { ...env, GITHUB_REPOSITORY: "else/oxbow" };
    expect(publishingObstacles(root, fork)).toHaveLength(PACKAGES.length);
    expect(publishingObstacles(root, { ...fork, GITHUB_REF_TYPE: "branch" })).toEqual([]);
  });
});

it("the notes of a release are its section of the changelog, with links that lead to the files of its tag", () => {
  const changelog = [
    "# Changelog",
    "## [Unreleased]",
    "## [1.2.0] - 2026-01-31",
    "- [Guide](docs/a.md#b), [site](https://example.com).",
    "## [1.1.0] - 2026-01-01",
    "- Older.",
  ].join("\n\n");
  const section = sectionOf(changelog, "1.2.0") ?? "";
  expect(withLinksFrom(section, "https://git/v1.2.0")).toBe(
    "- [Guide](https://git/v1.2.0/docs/a.md#b), [site](https://example.com).",
  );
  expect(sectionOf(changelog, "1.2")).toBeUndefined();
});

it("the archive of the extension installs where Node is absent, from one folder with a META.json of its version", ({
  skip,
}) => {
  const unpacked = join(folder, "unpacked");
  for (const [path, content] of Object.entries(unzipSync(extensionArchive(root, version)))) {
    mkdirSync(dirname(join(unpacked, path)), { recursive: true });
    writeFileSync(join(unpacked, path), content);
  }
  const source = join(unpacked, `oxbow-${version}`);
  const meta = JSON.parse(readFileSync(join(source, "META.json"), "utf8")) as {
    version: string;
    provides: { oxbow: { file: string; version: string } };
  };
  expect(meta).toMatchObject({ name: "oxbow", version, provides: { oxbow: { version } } });
  expect(existsSync(join(source, meta.provides.oxbow.file))).toBe(true);
  skip(!existsSync(PG_CONFIG), "no pg_config");
  const target = join(folder, "installed");
  execFileSync("make", ["install", `PG_CONFIG=${PG_CONFIG}`, `DESTDIR=${target}`], {
    cwd: source,
  });
  const shared = execFileSync(PG_CONFIG, ["--sharedir"], { encoding: "utf8" }).trim();
  const installed = join(target, shared, "extension");
  const earlier = releasedVersions().filter((release) => release !== version);
  expect(readdirSync(installed)).toEqual(
    expect.arrayContaining([
      "oxbow.control",
      ...earlier.flatMap((release) => [
        `oxbow--${release}.sql`,
        `oxbow--${release}--${version}.sql`,
      ]),
    ]),
  );
  expect(readFileSync(join(installed, `oxbow--${version}.sql`), "utf8")).toBe(
    readFileSync(join(ROOT, built), "utf8"),
  );
});
