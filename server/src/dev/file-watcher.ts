/**
 * Calls back when one of some files has changed: those that `worker-process.ts` adds.
 *
 * It watches their folders, because editors replace files, and missing files may be created; of a missing folder, its
 * nearest parent. A notification of the system counts if the time, the size or the existence of a file has changed.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** Files that may be imported, unlike files that programs write in the same folder. */
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;
/** Editors write several times in a row. */
const QUIET_MS = 80;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

export class FileWatcher {
  readonly #onChange: (path: string) => void;
  /** Undefined for a missing folder, whose nearest parent is watched instead. */
  readonly #folders = new Map<string, WatchedFolder | undefined>();
  readonly #looks = new Map<string, string>();
  readonly #changed = new Set<string>();
  #takesAll = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange gets one of the files that have changed. */
  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  /** Watches more files. A file that is newer than `since` has changed. */
  add(files: Iterable<string>, since = Infinity): void {
    for (const file of files) {
      if (!this.#folders.has(dirname(file))) this.#watchFolder(dirname(file));
      if (this.#looks.has(file)) continue;
      this.#looks.set(file, lookOf(file));
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats !== undefined && stats.mtimeMs > since) this.#report(file);
    }
  }

  /** Whether any source file in the folders counts: a missing file may have any name. */
  takeAll(isWanted: boolean): void {
    this.#takesAll = isWanted;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watched of this.#folders.values()) watched?.watcher.close();
    this.#folders.clear();
  }

  /** Watches a folder, unless it is still the one that is watched. */
  #watchFolder(folder: string): void {
    const identity = identityOf(folder);
    const before = this.#folders.get(folder);
    if (before !== undefined && before.identity === identity) return;
    before?.watcher.close();
    this.#folders.set(folder, undefined);
    if (identity === undefined) {
      if (dirname(folder) !== folder) this.#watchFolder(dirname(folder));
      return;
    }
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null) this.#look(join(folder, name));
        this.#watchReplacedFolders();
      });
      // The watcher of a removed folder fails; a notification of its parent follows.
      watcher.on("error", () => {});
      this.#folders.set(folder, { watcher, identity });
    } catch {
      // A folder without permission makes imports fail, which is reported.
    }
  }

  /** A folder that is removed and made again, as by a checkout of another branch, has lost its watcher. */
  #watchReplacedFolders(): void {
    for (const [folder, before] of this.#folders) {
      this.#watchFolder(folder);
      if (this.#folders.get(folder) === before) continue;
      for (const path of this.#looks.keys()) if (dirname(path) === folder) this.#look(path);
    }
  }

  #look(path: string): void {
    const before = this.#looks.get(path);
    if (before === undefined && !(this.#takesAll && SOURCE.test(path))) return;
    const look = lookOf(path);
    if (look !== before) this.#report(path);
  }

  #report(path: string): void {
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const changed = [...this.#changed];
      this.#changed.clear();
      // A file that is being replaced may be missing for a moment.
      for (const each of changed) this.#looks.set(each, lookOf(each));
      this.#onChange(path);
    }, QUIET_MS);
  }
}

/** Numbers of removed folders are used again. */
function identityOf(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino} ${stats.birthtimeMs}`;
}

function lookOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "missing" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
