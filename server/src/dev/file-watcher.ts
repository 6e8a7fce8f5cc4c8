/**
 * Calls back when one of some files has changed.
 *
 * It watches their folders, since editors replace a file rather than write it, and one that is missing may come. A hint
 * of the system counts when the file looks otherwise than before: its time, its size, or whether it is there at all.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** What may be imported: not what a program writes beside them. */
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

  /** Watches these files, besides those before. One that is newer than `since` has changed meanwhile. */
  add(files: Iterable<string>, since = Infinity): void {
    for (const file of files) {
      this.#watchFolder(dirname(file));
      if (this.#looks.has(file)) continue;
      this.#looks.set(file, lookOf(file));
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats !== undefined && stats.mtimeMs > since) this.#tell(file);
    }
  }

  /** Whether any source beside the watched files counts: what is missing may have any name. */
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
      // A folder that is removed is no longer watched, which is all there is to it.
      watcher.on("error", () => {});
      this.#folders.set(folder, watcher);
    } catch {
      // It isn't there: whoever imports something of it fails, and that is told.
    }
  }

  #look(path: string): void {
    const before = this.#looks.get(path);
    if (before === undefined && !(this.#takesAll && SOURCE.test(path))) return;
    const look = lookOf(path);
    if (look !== before) this.#tell(path);
  }

  #tell(path: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A file that is about to be replaced isn't there for a moment.
      this.#looks.set(path, lookOf(path));
      this.#onChange(path);
    }, QUIET_MS);
  }
}

function lookOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "missing" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
