/** Which installations of Oxbow this SDK works with. */
import { SchemaVersionMismatch } from "../../../core/errors.ts";
import type { InstalledVersion } from "./calls.ts";

/** The version of the SQL protocol that this SDK speaks: `queue.protocol_version()`. */
const PROTOCOL_VERSION = 1;
/** The first release with all the functions that the `calls.ts` of each noun call. */
const OLDEST_RELEASE = "0.3.0";

/** @throws SchemaVersionMismatch if the target has another protocol, or an older release than this SDK calls. */
export function requireSupported(installed: InstalledVersion | undefined, target: string): void {
  if (installed === undefined || installed.protocol !== PROTOCOL_VERSION) {
    throw new SchemaVersionMismatch({
      target,
      installed: installed?.version ?? "unknown",
      installedProtocol: installed?.protocol ?? 0,
      supportedProtocol: PROTOCOL_VERSION,
    });
  }
  if (isOlder(installed.version, OLDEST_RELEASE)) {
    throw new SchemaVersionMismatch({
      target,
      installed: installed.version,
      installedProtocol: installed.protocol,
      supportedProtocol: PROTOCOL_VERSION,
      oldest: OLDEST_RELEASE,
    });
  }
}

function isOlder(release: string, than: string): boolean {
  const [own = [], other = []] = [release, than].map((text) => text.split(".").map(Number));
  const at = own.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (own[at] ?? 0) < (other[at] ?? 0);
}
