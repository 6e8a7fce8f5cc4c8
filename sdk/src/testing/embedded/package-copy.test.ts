import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { preparePackage } from "./package-copy.ts";

const STRANGER = { uid: 54_321, gid: 54_321 };

/** A package as npm unpacks it: with the library, but without the link to it. */
function setup(): string {
  const directory = mkdtempSync(join(tmpdir(), "oxbow-package-"));
  chmodSync(directory, 0o755);
  onTestFinished(() => rmSync(directory, { recursive: true }));
  vi.stubEnv("TMPDIR", directory);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });

  const native = join(directory, "home", "native");
  mkdirSync(join(native, "lib"), { recursive: true });
  writeFileSync(join(native, "lib", "libpq.so.5"), "library");
  const link = { source: "native/lib/libpq.so.5", target: "native/lib/libpq.so" };
  writeFileSync(join(native, "pg-symlinks.json"), JSON.stringify([link]));
  return native;
}

function readThroughLink(directory: string): string {
  return readFileSync(join(directory, "lib", "libpq.so"), "utf8");
}

describe.runIf(process.platform !== "win32")("preparePackage", () => {
  it("makes the links that npm leaves out, once", () => {
    const native = setup();
    expect(preparePackage(native, "1", undefined)).toBe(native);
    expect(readThroughLink(native)).toBe("library");
    expect(preparePackage(native, "1", undefined)).toBe(native);
  });

  it("leaves the package where the server's account can reach it", () => {
    const native = setup();
    expect(preparePackage(native, "1", STRANGER)).toBe(native);
  });

  it("gives an account that can't reach the package a copy, once a version", () => {
    const native = setup();
    chmodSync(join(native, ".."), 0o700);
    const copy = preparePackage(native, "1", STRANGER);
    expect(copy).not.toBe(native);
    expect(readThroughLink(copy)).toBe("library");
    expect(preparePackage(native, "1", STRANGER)).toBe(copy);
    expect(preparePackage(native, "2", STRANGER)).not.toBe(copy);
  });
});
