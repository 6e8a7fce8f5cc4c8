import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileWatcher } from "./file-watcher.ts";

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "oxbow-watch-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function follow(...files: readonly string[]): string[] {
  const changes: string[] = [];
  const watcher = new FileWatcher((path) => void changes.push(path));
  onTestFinished(() => watcher.close());
  watcher.add(files);
  return changes;
}

/** Acts, and waits for a report of it. */
async function changed(changes: readonly string[], act: () => void): Promise<void> {
  const before = changes.length;
  act();
  await expect.poll(() => changes.length, { timeout: 20_000 }).toBeGreaterThan(before);
}

it("follows a file through a folder that is removed and made again, however deep", async () => {
  const project = makeFolder();
  const folder = join(project, "src/lib");
  const file = join(folder, "greeting.ts");
  const make = (): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, "1");
  };
  make();
  const changes = follow(file);
  for (let round = 1; round <= 3; round += 1) {
    await changed(changes, () => rmSync(join(project, "src"), { recursive: true }));
    await changed(changes, make);
    await changed(changes, () => writeFileSync(file, "longer"));
  }
  await changed(changes, () => {
    rmSync(folder, { recursive: true });
    make();
  });
  await changed(changes, () => writeFileSync(file, "longer"));
});

it("reports files that change together once, and not again without a change", async () => {
  const project = makeFolder();
  const [first, second, third] = ["first.ts", "second.ts", "third.ts"].map((name) =>
    join(project, name),
  ) as [string, string, string];
  for (const file of [first, second, third]) writeFileSync(file, "1");
  const changes = follow(first, second, third);
  await changed(changes, () => {
    for (const file of [first, second]) writeFileSync(file, "22");
  });
  await changed(changes, () => {
    writeFileSync(third, "22");
    // A notification without a change.
    chmodSync(first, 0o600);
  });
  expect(changes).toEqual([second, third]);
});
