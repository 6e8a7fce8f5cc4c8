import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { copyFolder } from "./file-copy.ts";

it("a copy that fails writes nothing any more, so its folder can be removed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "file-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  for (let n = 0; n < 50; n++) {
    mkdirSync(join(from, `${n}`, "a", "b", "c"), { recursive: true });
    writeFileSync(join(from, `${n}`, "a", "b", "c", "file"), "x".repeat(10_000));
  }
  // It can't be copied, since a folder is in its place.
  writeFileSync(join(from, "zz"), "");
  mkdirSync(join(to, "zz"), { recursive: true });

  await expect(copyFolder(from, to, { owner: undefined })).rejects.toThrow("zz");
  const copied = readdirSync(to, { recursive: true }).length;
  await delay(100);
  expect(readdirSync(to, { recursive: true })).toHaveLength(copied);
});
