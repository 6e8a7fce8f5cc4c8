/**
 * The Postgres that Debian installs, for what the embedded one can't show: an older version, `make install`, and
 * extensions written in C. Tests that need it are left out where it isn't installed; CI installs it.
 */
import { existsSync } from "node:fs";

const BIN_DIR = "/usr/lib/postgresql/15/bin";
const SHARE_DIR = "/usr/share/postgresql/15/extension";

const isInstalled = existsSync(`${BIN_DIR}/postgres`);

/** For a separate cluster on the oldest Postgres of this machine: Debian's, else the embedded one. */
export const OLDEST_POSTGRES = isInstalled ? { binDir: BIN_DIR } : {};

export const debianPostgres = {
  binDir: BIN_DIR,
  isInstalled,
  hasPlpgsqlCheck: existsSync(`${SHARE_DIR}/plpgsql_check.control`),
  /** `make install` needs the development files, and the right to write to the server's directories. */
  canInstallExtensions:
    existsSync("/usr/lib/postgresql/15/lib/pgxs/src/makefiles/pgxs.mk") && process.getuid?.() === 0,
} as const;
