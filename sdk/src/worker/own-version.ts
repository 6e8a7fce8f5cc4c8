import { readFileSync } from "node:fs";

let known: string | undefined;

/** Returns the version of this package, for display; "unknown" in a bundle that has left its package.json behind. */
export function ownVersion(): string {
  known ??= read();
  return known;
}

function read(): string {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { name, version } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return name === "@oxbow/sdk" && typeof version === "string" ? version : "unknown";
  } catch {
    return "unknown";
  }
}
