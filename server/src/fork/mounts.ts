/** The file system of a path. */
import { readFile, realpath } from "node:fs/promises";

export interface Mount {
  /** For instance btrfs or xfs; empty if unknown. */
  readonly system: string;
  /** Equal for two paths of one file system, even with several mounts. */
  readonly device: string;
}

const UNKNOWN: Mount = { system: "", device: "" };

/** Reads the mount table of Linux; on other systems, the file system is unknown. */
export async function mountOf(path: string): Promise<Mount> {
  const [place, table] = await Promise.all([
    realpath(path),
    readFile("/proc/self/mountinfo", "utf8").catch(() => ""),
  ]);
  let [longest, found] = ["", UNKNOWN];
  for (const line of table.split("\n")) {
    const [left = "", right = ""] = line.split(" - ");
    const point = (left.split(" ")[4] ?? "").replaceAll(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    );
    const isAbove = place === point || place.startsWith(point.endsWith("/") ? point : `${point}/`);
    // A later mount hides an earlier one at the same place.
    if (point !== "" && isAbove && point.length >= longest.length) {
      const [system = "", device = ""] = right.split(" ");
      [longest, found] = [point, { system, device }];
    }
  }
  return found;
}
