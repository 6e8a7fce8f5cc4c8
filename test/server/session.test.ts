import { parseTokens } from "@oxbow/server";
import { describe, expect, it } from "vitest";
import { type RequestOptions, secretOf, startTestServer } from "../helpers/server.ts";

/** Nothing here asks the database. */
const NOWHERE = { url: "postgres://127.0.0.1:1/none" };

const tokens = parseTokens(
  `ci=${secretOf("ci")}:read+produce, ops@example.com=${secretOf("ops")}, ${secretOf("plain")}:work, ` +
    `portal=${secretOf("portal")}:produce+act`,
);
const server = await startTestServer(NOWHERE, { tokens });

const session = (options: RequestOptions) => server.request("GET", "/v1/session", options);

describe("the session of a token", () => {
  it.each([
    ["ci", "ci", ["read", "produce"]],
    [
      "ops",
      "ops@example.com",
      ["read", "produce", "work", "define", "publish", "approve", "admin"],
    ],
    ["portal", "portal", ["produce", "act"]],
  ])("%s has its name and its effective scopes", async (token, actor, scopes) => {
    expect((await session({ token })).body).toEqual({
      actor,
      kind: "token",
      scopes,
      expiresAt: null,
      csrfToken: null,
    });
  });

  it("without a name is named after the hash of its secret", async () => {
    const { body } = await session({ token: "plain" });
    expect(body.actor).toMatch(/^token-[0-9a-f]{8}$/);
    expect(body.actor).toBe(parseTokens(secretOf("plain"))[0]?.name);
  });

  it("is a 401 for no token and for an unknown one", async () => {
    expect(await session({})).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect(await session({ token: "c" })).toMatchObject({ status: 401 });
  });
});

describe("Oxbow-Actor", () => {
  const headers = { "oxbow-actor": "ada@example.com" };

  it("is believed from a token with the scope act", async () => {
    expect((await session({ token: "portal", headers })).body).toMatchObject({
      actor: "ada@example.com",
      kind: "delegate",
      scopes: ["produce", "act"],
    });
  });

  it.each(["ci", "ops"])("is refused from the token %s, which lacks it", async (token) => {
    const { status, body } = await session({ token, headers });
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect(body.detail).toContain('scope "act"');
  });

  it("is refused on a server without tokens", async () => {
    const open = await startTestServer(NOWHERE);
    expect((await open.request("GET", "/v1/session", { headers })).status).toBe(403);
    expect((await open.get("/v1/session")).body).toEqual({
      actor: null,
      kind: "anyone",
      scopes: ["read", "produce", "work", "define", "publish", "approve", "admin"],
      expiresAt: null,
      csrfToken: null,
    });
  });

  it.each(["", "x".repeat(201), "ad\u00E9"])("is refused if it is %j", async (actor) => {
    const answer = await session({ token: "portal", headers: { "oxbow-actor": actor } });
    expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
  });
});

describe("an entry of OXBOW_TOKENS", () => {
  it.each([
    ["a secret in base64", `${"A".repeat(43)}=:read`, /^token-/],
    ["a secret in base64 with two signs", `${"A".repeat(42)}==`, /^token-/],
    ["a name and such a secret", `ci=${"A".repeat(43)}=:read`, /^ci$/],
    ["two secrets of one name", `ci=${"A".repeat(40)},ci=${"B".repeat(40)}`, /^ci$/],
  ])("may have %s", (_what, text, name) => {
    for (const token of parseTokens(text)) expect(token.name).toMatch(name);
  });

  it("is refused if the secret after its name is too short", () => {
    expect(() => parseTokens("ci=short:read")).toThrow(/at least 32/);
  });

  it("is refused without any part of a secret that contains a colon", () => {
    for (const entry of ["ci=first-half:second-half", "first-half:read+second-half"]) {
      expect(() => parseTokens(entry)).toThrow(/entry 1 .* needs scopes after it/);
      expect(() => parseTokens(entry)).not.toThrow(/half/);
    }
    const secret = `${"A".repeat(20)}:${"B".repeat(20)}`;
    expect(parseTokens(`ci=${secret}:read`)).toMatchObject([{ name: "ci" }]);
  });
});
