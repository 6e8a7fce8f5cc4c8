/** Everything that names the version of a release, and where they disagree. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { releasedScript, releasedVersions } from "../released.ts";
import { complaintsAbout, sectionOf } from "./notes.ts";
import { PACKAGES } from "./packages.ts";

/** The version of the control file, which all others must repeat. */
export function releaseVersion(root: string): string {
  const control = readFileSync(join(root, "extension-sql/oxbow.control"), "utf8");
  const version = /^default_version = '(\d+\.\d+\.\d+)'$/m.exec(control)?.[1];
  if (version === undefined) throw new Error("extension-sql/oxbow.control has no default_version");
  return version;
}

/** One sentence for each disagreement, with its remedy; an empty list if the release can be made. */
export function disagreements(root: string): string[] {
  const version = releaseVersion(root);
  return [
    ...packageDisagreements(root, version),
    ...imageDisagreements(root, version),
    ...changelogDisagreements(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version),
    ...scriptDisagreements(root, version),
  ];
}

/**
 * What keeps GitHub from publishing a checkout: one sentence each, with its remedy; none elsewhere.
 *
 * @param env of the workflow that the tag has started
 */
export function publishingObstacles(root: string, env: NodeJS.ProcessEnv): string[] {
  const { GITHUB_REF_TYPE: refType, GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: repository } = env;
  if (refType !== "tag" || tag === undefined || repository === undefined) return [];
  const version = releaseVersion(root);
  const url = `git+https://github.com/${repository}.git`;
  return [
    ...(tag === `v${version}` ? [] : [`the tag is ${tag}: tag the commit of v${version}`]),
    ...PACKAGES.filter((name) => repositoryOf(root, name) !== url).map(
      (name) =>
        `${name}/package.json is of another repository, and npm attests where a package is from: run npm pkg set repository.url=${url} -w ${name}`,
    ),
  ];
}

function repositoryOf(root: string, name: string): string | undefined {
  const manifest = JSON.parse(readFileSync(join(root, `${name}/package.json`), "utf8")) as {
    readonly repository?: { readonly url: string };
  };
  return manifest.repository?.url;
}

function packageDisagreements(root: string, version: string): string[] {
  return PACKAGES.flatMap((name) => {
    const path = `${name}/package.json`;
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as {
      version: string;
      dependencies: Readonly<Record<string, string>>;
      peerDependencies?: Readonly<Record<string, string>>;
    };
    const named = { ...manifest.dependencies, ...manifest.peerDependencies };
    const others = Object.entries(named).filter(
      ([dependency, range]) => dependency.startsWith("@oxbow/") && range !== version,
    );
    return [
      ...(manifest.version === version
        ? []
        : [`${path} has version ${manifest.version}: set it to ${version}`]),
      ...others.map(
        ([dependency, range]) => `${path} depends on ${dependency} ${range}: set it to ${version}`,
      ),
    ];
  });
}

/** Files that show the image of a version. */
export const IMAGE_FILES: readonly string[] = [
  "deploy/kubernetes/deployment.yaml",
  "docs/operate/containers.md",
];

function imageDisagreements(root: string, version: string): string[] {
  return IMAGE_FILES.flatMap((path) => {
    const images =
      readFileSync(join(root, path), "utf8").match(/oxbow-server:\d+\.\d+\.\d+/g) ?? [];
    const wrong = images.find((image) => image !== `oxbow-server:${version}`);
    return wrong === undefined ? [] : [`${path} names ${wrong}: set it to ${version}`];
  });
}

function changelogDisagreements(changelog: string, version: string): string[] {
  const [, unreleased = ""] = changelog.split(/^## (?=\[)/m);
  const section = sectionOf(changelog, version);
  return [
    ...(/^\[Unreleased\]\s*$/.test(unreleased.trim())
      ? []
      : [`CHANGELOG.md has entries under [Unreleased]: move them under [${version}]`]),
    ...(section === undefined
      ? [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD": add it`]
      : complaintsAbout(section)),
  ];
}

/** Later releases are upgraded from the script in `released/`, so it must be the one that is built. */
function scriptDisagreements(root: string, version: string): string[] {
  const file = `oxbow--${version}.sql`;
  const folder = join(root, "extension-sql/released");
  const kept = `extension-sql/released/${file}.gz`;
  const keep = `gzip -9 -n < extension-sql/dist/extension/${file} > ${kept}`;
  const built = join(root, "extension-sql/dist/extension", file);
  if (!existsSync(built))
    return [`extension-sql/dist/extension/${file} is not built: run make build`];
  if (!releasedVersions(folder).includes(version)) return [`${kept} is missing: run ${keep}`];
  return releasedScript(version, folder) === readFileSync(built, "utf8")
    ? []
    : [`${kept} differs from the script that is built: run ${keep}`];
}
