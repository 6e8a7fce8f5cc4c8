import { describe, expect, it } from "vitest";
import { isVerified, rolesIn } from "./claims.ts";

describe("roles", () => {
  it.each([
    ["of a list", { roles: ["Sales admin", 7, "viewer"] }, "roles", ["Sales admin", "viewer"]],
    ["of one text are one role, spaces included", { role: "Sales admin" }, "role", ["Sales admin"]],
    ["of a path", { realm_access: { roles: ["a"] } }, "realm_access.roles", ["a"]],
    ["of a scope are separated by spaces", { scope: "read  admin" }, "scope", ["read", "admin"]],
    ["of scp are separated by spaces", { scp: "read admin" }, "scp", ["read", "admin"]],
    ["of a scope within a path are not", { token: { scope: "a b" } }, "token.scope", ["a b"]],
    ["are empty without the claim", {}, "roles", []],
    ["are empty in an empty text", { roles: "" }, "roles", []],
  ])("%s", (_title, claims, claim, expected) => {
    expect(rolesIn(claims, claim)).toEqual(expected);
  });
});

describe("an address", () => {
  it.each([
    [false, false],
    ["false", false],
    ["no", false],
    [0, false],
    [true, true],
    ["true", true],
    ["True", true],
    [null, undefined],
    [undefined, undefined],
  ])("that is reported with %j is verified: %s", (value, expected) => {
    expect(isVerified({ email_verified: value })).toBe(expected);
  });
});
