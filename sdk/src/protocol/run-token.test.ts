import { describe, expect, it } from "vitest";
import { type RunPermission, RunTokenKeys } from "./run-token.ts";
import { secretsIn } from "./signed-token.ts";

const OLD = "o".repeat(32);
const NEW = "n".repeat(32);
const keys = new RunTokenKeys([NEW]);

const request = {
  runId: "42",
  ttlMs: 60_000,
  allow: ["read", "signal:approved"] as readonly RunPermission[],
  name: "ada@example.com",
};

describe("a run token", () => {
  it("opens what it lists, until it expires", async () => {
    const before = Date.now();
    const grant = await keys.verify(await keys.sign(request));
    expect(grant).toMatchObject({ runId: "42", allow: request.allow, name: "ada@example.com" });
    const leftMs = (grant?.expiresAt.getTime() ?? 0) - before;
    expect(leftMs).toBeGreaterThanOrEqual(60_000);
    expect(leftMs).toBeLessThan(120_000);
  });

  it("is of no other key, and not of another use of the same secret", async () => {
    const token = await keys.sign(request);
    expect(await new RunTokenKeys([OLD]).verify(token)).toBeUndefined();
    expect(await new RunTokenKeys([]).verify(token)).toBeUndefined();
  });

  it("survives a rotation: all keys verify, the first signs", async () => {
    const token = await new RunTokenKeys([OLD]).sign(request);
    const both = new RunTokenKeys([NEW, OLD]);
    expect(await both.verify(token)).toMatchObject({ runId: "42" });
    expect(await keys.verify(await both.sign(request))).toMatchObject({ runId: "42" });
    expect(await keys.verify(token)).toBeUndefined();
  });

  it("can't be changed in any place", async () => {
    const token = await keys.sign(request);
    for (let at = 0; at < token.length; at += 1) {
      // The last character of a signature has bits that decode to nothing.
      if (at === token.length - 1) continue;
      const other = token[at] === "A" ? "B" : "A";
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect([at, await keys.verify(changed)]).toEqual([at, undefined]);
    }
    const [body = ""] = token.split(".");
    for (const wrong of ["", "oxrun_", "oxrun_.", body, `${body}.`, `${token}.x`, `${token}é`]) {
      expect(await keys.verify(wrong)).toBeUndefined();
    }
    const claims = JSON.parse(atob(body.slice("oxrun_".length))) as object;
    const other = btoa(JSON.stringify({ ...claims, run: "43" })).replaceAll("=", "");
    expect(await keys.verify(token.replace(body, `oxrun_${other}`))).toBeUndefined();
  });

  it.each([
    [{ ttlMs: Number.NaN }, "Invalid ttl of NaN ms"],
    [{ ttlMs: 0 }, "Invalid ttl of 0 ms"],
    [{ ttlMs: 86_400_001 }, "1 second to 24 hours"],
    [{ allow: [] }, "allows 1 to 20 things"],
    [{ allow: "read" }, "allows 1 to 20 things"],
    [{ allow: ["write"] }, 'Unknown permission "write"'],
    [{ allow: ["signal:"] }, "event"],
    [{ name: "a\nb" }, "Invalid name"],
    [{ name: "" }, "Invalid name"],
    [{ allow: Array.from({ length: 20 }, () => `signal:${"ж".repeat(256)}`) }, "may have 12000"],
  ])("with %o is not signed", async (wrong, message) => {
    await expect(keys.sign({ ...request, ...(wrong as object) })).rejects.toThrow(message);
  });

  it("needs a key that can't be guessed", async () => {
    await expect(new RunTokenKeys([]).sign(request)).rejects.toThrow("OXBOW_RUN_TOKEN_KEYS");
    expect(() => new RunTokenKeys([OLD, "short"])).toThrow("Key 2 for run tokens has 5 characters");
    expect(secretsIn(` ${OLD},\n${NEW} `)).toEqual([OLD, NEW]);
    expect(secretsIn(undefined)).toEqual([]);
  });
});
