/** Everything that names the version of a release, and where they disagree. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGES } from "./packages.ts";

/** The version of the control file, which all others must repeat. */
export function releaseVersion(root: string): string {
  const control = readFileSync(join(root, "extension-sql/oxbow.control"), "utf8");
  const version = /^default_version = '(\d+\.\d+\.\d+)'$/m.exec(control)?.[1];
  if (version === undefined) throw new Error("extension-sql/oxbow.control has no default_version");
  return version;
}

/** One sentence for each disagreement, with its remedy; none if the release can be made. */
export function disagreements(root: string): string[] {
  const version = releaseVersion(root);
  return [
    ...packageDisagreements(root, version),
    ...imageDisagreements(root, version),
    ...changelogDisagreements(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version),
    ...scriptDisagreements(root, version),
  ];
}

function packageDisagreements(root: string, version: string): string[] {
  return PACKAGES.flatMap((name) => {
    const path = `${name}/package.json`;
    const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as {
      version: string;
      dependencies: Readonly<Record<string, string>>;
    };
    const others = Object.entries(manifest.dependencies).filter(
      ([dependency, range]) => dependency.startsWith("@oxbow/") && range !== `^${version}`,
    );
    return [
      ...(manifest.version === version
        ? []
        : [`${path} has version ${manifest.version}: set it to ${version}`]),
      ...others.map(
        ([dependency, range]) => `${path} depends on ${dependency} ${range}: set it to ^${version}`,
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
  const [, unreleased = "", ...sections] = changelog.split(/^## (?=\[)/m);
  const [latest = ""] = sections;
  return [
    ...(/^\[Unreleased\]\s*$/.test(unreleased.trim())
      ? []
      : [`CHANGELOG.md has entries under [Unreleased]: move them under [${version}]`]),
    ...(new RegExp(
      String.raw`^\[${version.replaceAll(".", String.raw`\.`)}\] - \d{4}-\d{2}-\d{2}\n`,
    ).test(latest)
      ? []
      : [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" after [Unreleased]: add it`]),
  ];
}

/** Later releases are upgraded from the script in `released/`, so it must be the one that is built. */
function scriptDisagreements(root: string, version: string): string[] {
  const file = `oxbow--${version}.sql`;
  const released = join(root, "extension-sql/released", file);
  const built = join(root, "extension-sql/dist/extension", file);
  if (!existsSync(built))
    return [`extension-sql/dist/extension/${file} is not built: run make build`];
  if (!existsSync(released)) {
    return [
      `extension-sql/released/${file} is missing: copy it from extension-sql/dist/extension/`,
    ];
  }
  return readFileSync(released, "utf8") === readFileSync(built, "utf8")
    ? []
    : [`extension-sql/released/${file} differs from the one that is built: copy it again`];
}
