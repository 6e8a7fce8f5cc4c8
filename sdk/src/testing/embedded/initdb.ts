import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ServerUser } from "./server-user.ts";

export interface InitdbOptions {
  readonly program: string;
  readonly dataDir: string;
  readonly user: ServerUser | undefined;
  readonly env: Record<string, string>;
  /** Whether to wait until the files are on disk. */
  readonly sync: boolean;
}

/** Makes a data directory: UTF-8, C locale, and a superuser `postgres` whom loopback lets in without a password. */
export async function initdb({ program, dataDir, user, env, sync }: InitdbOptions): Promise<void> {
  const args = [
    `--pgdata=${dataDir}`,
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-locale",
    "--no-instructions",
    ...(sync ? [] : ["--no-sync"]),
  ];
  const child = spawn(program, args, {
    cwd: "/",
    env,
    ...user,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errors] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (child.exitCode !== 0) throw new Error(`initdb could not make ${dataDir}: ${errors.trim()}`);
}
