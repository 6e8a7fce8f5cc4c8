/** Copies a folder whose files may change during the copy; clones them if the file system supports it. */
import { constants } from "node:fs";
import { chown, copyFile, mkdir, readdir, readlink, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./driver.ts";

const AT_ONCE = 16;

export interface CopyOptions {
  /** Owner of the copies. */
  readonly owner: Account | undefined;
  /** Names in the folder that are omitted with their contents. */
  readonly without?: ReadonlySet<string>;
  /** Names in the folder that are copied as empty folders. */
  readonly emptied?: ReadonlySet<string>;
}

/**
 * Copies the contents of a folder to a new one. Files that vanish during the copy are omitted. Once it has rejected,
 * nothing is written any more: what there is may be removed.
 */
export const copyFolder = (from: string, to: string, options: CopyOptions): Promise<void> =>
  copyInto(from, to, options, { hasFailed: false });

async function copyInto(
  from: string,
  to: string,
  { owner, without, emptied }: CopyOptions,
  progress: { hasFailed: boolean },
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  if (owner !== undefined) await chown(to, owner.uid, owner.gid);
  const entries = await ifThere(readdir(from, { withFileTypes: true }));
  const waiting = (entries ?? []).filter(({ name }) => without?.has(name) !== true);
  const work = async (): Promise<void> => {
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      if (progress.hasFailed) return;
      const [source, copy] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) {
        if (emptied?.has(entry.name) === true) {
          await copyInto("/nowhere", copy, { owner }, progress);
        } else await copyInto(source, copy, { owner }, progress);
      } else if (entry.isSymbolicLink()) {
        const target = await ifThere(readlink(source));
        if (target !== undefined) await symlink(target, copy);
      } else if (entry.isFile() && !entry.name.startsWith("pgsql_tmp")) {
        await copyOne(source, copy, owner);
      }
    }
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => {
      progress.hasFailed = true;
      throw error;
    }),
  );
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
}

async function copyOne(from: string, to: string, owner: Account | undefined): Promise<void> {
  const isThere = await ifThere(copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true));
  if (isThere === true && owner !== undefined) await chown(to, owner.uid, owner.gid);
}

/** Whether a file of `from` can be cloned into the folder `to`. */
export async function canClone(from: string, to: string): Promise<boolean> {
  const probe = join(to, `.oxbow-clone-${process.pid}`);
  try {
    await copyFile(from, probe, constants.COPYFILE_FICLONE_FORCE);
    return (await stat(probe)).isFile();
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true });
  }
}

async function ifThere<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
