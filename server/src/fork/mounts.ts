/** Which file system a path is in. */
import { readFile, realpath } from "node:fs/promises";

export interface Mount {
  /** As btrfs or xfs; empty where it isn't known. */
  readonly system: string;
  /** The same for two paths in one file system, however it is mounted. */
  readonly device: string;
}

const UNKNOWN: Mount = { system: "", device: "" };

/** By Linux' table of mounts; elsewhere nothing is known. */
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
    // Of two at the same place, the later one hides the earlier.
    if (point !== "" && isAbove && point.length >= longest.length) {
      const [system = "", device = ""] = right.split(" ");
      [longest, found] = [point, { system, device }];
    }
  }
  return found;
}
