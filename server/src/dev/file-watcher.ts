/**
 * Calls back when one of some files has changed: those that `worker-process.ts` adds.
 *
 * It watches their folders, because editors replace files, and missing files may be created. A notification of the
 * system counts if the time, the size or the existence of a file has changed.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** Files that may be imported, unlike files that programs write in the same folder. */
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;
/** Editors write several times in a row. */
const QUIET_MS = 80;

export class FileWatcher {
  readonly #onChange: (path: string) => void;
  readonly #folders = new Map<string, FSWatcher>();
  readonly #looks = new Map<string, string>();
  #takesAll = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  /** Watches more files. A file that is newer than `since` has changed. */
  add(files: Iterable<string>, since = Infinity): void {
    for (const file of files) {
      this.#watchFolder(dirname(file));
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
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watchFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null) this.#look(join(folder, name));
      });
      // The watcher of a removed folder fails, which needs no action.
      watcher.on("error", () => {});
      this.#folders.set(folder, watcher);
    } catch {
      // A missing folder makes imports fail, which is reported.
    }
  }

  #look(path: string): void {
    const before = this.#looks.get(path);
    if (before === undefined && !(this.#takesAll && SOURCE.test(path))) return;
    const look = lookOf(path);
    if (look !== before) this.#report(path);
  }

  #report(path: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A file that is being replaced may be missing for a moment.
      this.#looks.set(path, lookOf(path));
      this.#onChange(path);
    }, QUIET_MS);
  }
}

function lookOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "missing" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
