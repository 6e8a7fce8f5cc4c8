/** Confirmations: for what call a token holds, and how long. */
import { describe, expect, it } from "vitest";
import { Confirmations } from "./confirmations.ts";

const KEY = "k".repeat(32);
const call = { tool: "cancel_runs", subject: "ada", input: { workflow: "order", tags: { a: 1 } } };
const counted = { objects: ["2", "1"], count: 2, end: new Date("2026-05-01") };
const UNKNOWN = "this server has not issued it";

describe("a confirmation", () => {
  it("holds for the call and the objects that were counted, in any order", async () => {
    const confirmations = new Confirmations([KEY]);
    const { token, expiresAt } = await confirmations.issue(call, counted);
    // Models repeat it.
    expect(token.length).toBeLessThan(250);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(590_000);
    expect(await confirmations.endOf(token, call)).toEqual(counted.end);
    const reordered = { ...call, input: { tags: { a: 1 }, workflow: "order" } };
    expect(await confirmations.accept(token, reordered, { objects: ["1", "2"] })).toEqual({
      isSame: true,
      count: 2,
    });
  });

  it("reports that there are other objects, and is not used by that", async () => {
    const confirmations = new Confirmations([KEY]);
    const { token } = await confirmations.issue(call, counted);
    for (const objects of [["1"], ["1", "2", "3"], ["1", "3"], []])
      expect(await confirmations.accept(token, call, { objects })).toEqual({
        isSame: false,
        count: 2,
      });
    expect((await confirmations.accept(token, call, counted)).isSame).toBe(true);
  });

  it("holds for no other tool, arguments or caller", async () => {
    const confirmations = new Confirmations([KEY]);
    const { token } = await confirmations.issue(call, counted);
    for (const other of [
      { ...call, tool: "retry_runs" },
      { ...call, subject: "eve" },
      { ...call, input: { workflow: "order" } },
      { ...call, input: { ...call.input, reason: "x" } },
    ])
      await expect(confirmations.accept(token, other, counted)).rejects.toThrow("was issued for");
  });

  it("is accepted once, also of two calls at the same time", async () => {
    const confirmations = new Confirmations([KEY]);
    const { token } = await confirmations.issue(call, counted);
    const outcomes = await Promise.allSettled([
      confirmations.accept(token, call, counted),
      confirmations.accept(token, call, counted),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(confirmations.endOf(token, call)).rejects.toThrow("was used before");
    const { token: next } = await confirmations.issue(call, counted);
    expect((await confirmations.accept(next, call, counted)).isSame).toBe(true);
  });

  it("expires after ten minutes", async () => {
    let now = Date.now();
    const confirmations = new Confirmations([KEY], () => now);
    const { token } = await confirmations.issue(call, counted);
    now += 599_000;
    expect(await confirmations.endOf(token, call)).toEqual(counted.end);
    now += 2_000;
    await expect(confirmations.accept(token, call, counted)).rejects.toThrow(
      "The confirmation has expired. Nothing was changed. Call cancel_runs without confirmation",
    );
  });

  it("is accepted by processes with the same secret, also while it is rotated, and by no other", async () => {
    const { token } = await new Confirmations([KEY]).issue(call, counted);
    const rotated = new Confirmations(["n".repeat(32), KEY]);
    expect((await rotated.accept(token, call, counted)).isSame).toBe(true);
    for (const other of [new Confirmations(["n".repeat(32)]), new Confirmations([])])
      await expect(other.accept(token, call, counted)).rejects.toThrow(UNKNOWN);
  });

  it("can't be forged", async () => {
    const confirmations = new Confirmations([KEY]);
    const { token } = await confirmations.issue(call, counted);
    const [body = "", signature = ""] = token.slice("oxconfirm_".length).split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString(
      "base64url",
    );
    for (const other of [
      `oxconfirm_${forged}.${signature}`,
      `oxconfirm_${body}`,
      `oxconfirm_${body}.`,
      token.slice(0, -3),
      token.replace("oxconfirm_", "oxlease_"),
      "yes",
    ])
      await expect(confirmations.accept(other, call, counted)).rejects.toThrow(UNKNOWN);
  });
});
