import type { ServerOptions, SignInSettings } from "@oxbow/server";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import {
  type OpenIdProvider,
  signInAt,
  startOpenIdProvider,
  Visitor,
} from "../helpers/openid-provider.ts";
import { type LogLine, logTo, troubles } from "../helpers/server-log.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";

interface World {
  readonly server: TestServer;
  readonly publicUrl: string;
  readonly provider: OpenIdProvider;
  readonly settings: SignInSettings;
}

const SECRET = "s".repeat(32);

/** A provider, and a server whose users sign in there. */
async function setup(
  more: Partial<SignInSettings> = {},
  provider: { readonly aheadSeconds?: number } = {},
): Promise<World> {
  const port = await findFreePort();
  const publicUrl = `http://localhost:${port}/`;
  const own = await startOpenIdProvider(publicUrl, provider);
  const settings = { ...signInAt(own, publicUrl), ...more };
  const server = await serve(settings, { port });
  return { server, publicUrl, provider: own, settings };
}

const serve = (signIn: SignInSettings, options: Partial<ServerOptions>): Promise<TestServer> =>
  startTestServer(database, { signIn, secrets: "ci:read", ...options });

const database = await createDatabase();
const world = await setup();
await world.provider.setRoles("ada", "admins");
await world.provider.setRoles("bob", "viewers", "unknown to oxbow");
await world.provider.setRoles("eve", "others");

/** A visitor who is signed in. */
async function signedIn(user: string, of: World = world): Promise<Visitor> {
  const visitor = new Visitor();
  const { response } = await visitor.signIn(of.publicUrl, user);
  expect(response.status).toBe(303);
  return visitor;
}

// Tests say what they expect of it.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

async function sessionOf(
  visitor: Visitor,
  { publicUrl }: Pick<World, "publicUrl"> = world,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await visitor.visit(`${publicUrl}v1/session`);
  return { status: response.status, body: await response.json() };
}

const textOf = async (response: Response): Promise<string> => {
  expect(response.headers.get("content-type")).toContain("text/html");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  return response.text();
};

describe("a sign-in", () => {
  it("leads back to the page it began at, with the scopes of the user's roles", async () => {
    const visitor = new Visitor();
    const { location } = await visitor.signIn(world.publicUrl, "bob", "/runs?status=failed");
    expect(location).toBe(`${world.publicUrl}#/runs?status=failed`);
    expect(await sessionOf(visitor)).toEqual({
      status: 200,
      body: {
        actor: "bob@example.com",
        kind: "user",
        scopes: ["read"],
        expiresAt: expect.any(String),
        csrfToken: expect.stringMatching(/^[\w-]{32}$/),
      },
    });
    expect((await visitor.visit(`${world.publicUrl}v1/queues`)).status).toBe(200);
  });

  it("never leads to another site", async () => {
    for (const returnTo of ["//evil.example", "https://evil.example/", "\\\\evil.example"]) {
      const visitor = new Visitor();
      const { location } = await visitor.signIn(world.publicUrl, "bob", returnTo);
      expect(new URL(location ?? "").origin).toBe(new URL(world.publicUrl).origin);
    }
  });

  it("gives a cookie that neither scripts nor other sites can use, and that contains nothing readable", async () => {
    const visitor = new Visitor();
    const { response } = await visitor.signIn(world.publicUrl, "ada");
    const cookie = response.headers
      .getSetCookie()
      .find((line) => line.startsWith("oxbow-session="));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    const [, value = ""] = /^oxbow-session=([^;]*)/.exec(cookie ?? "") ?? [];
    const readable = value.split(".").map((part) => Buffer.from(part, "base64url").toString());
    expect(readable.join("")).not.toContain("ada");
  });

  it("marks cookies as secure where the dashboard has https, and binds them to the host", async () => {
    const server = await serve(
      { ...world.settings, publicUrl: "https://oxbow.example.com/" },
      { port: 0 },
    );
    const response = await fetch(`${server.url}/auth/sign-in`, { redirect: "manual" });
    expect(response.status).toBe(303);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-oxbow-sign-in-[\w-]+=/);
    expect(cookie).toMatch(/; Secure/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; HttpOnly/);
    const sent = new URL(response.headers.get("location") ?? "").searchParams;
    expect(sent.get("redirect_uri")).toBe("https://oxbow.example.com/auth/callback");
    expect(sent.get("code_challenge_method")).toBe("S256");
    expect(sent.get("nonce")).not.toBe("");
  });

  it("is refused to a user without a role of this server, with the reason", async () => {
    const visitor = new Visitor();
    const { response } = await visitor.signIn(world.publicUrl, "eve");
    expect(response.status).toBe(403);
    const text = await textOf(response);
    expect(text).toContain("eve@example.com has no role on this server");
    expect(text).toContain("&quot;others&quot;");
    expect((await sessionOf(visitor)).status).toBe(401);
  });

  it.each([false, "false"])(
    "is refused if users are named by addresses, and the address is reported as %j",
    async (value) => {
      const user = `unverified-${typeof value}`;
      await world.provider.setRoles(user, "admins");
      const visitor = await signedIn(user);
      await world.provider.setVerified(user, value);
      const { response } = await new Visitor().signIn(world.publicUrl, user);
      expect(response.status).toBe(400);
      expect(await textOf(response)).toContain(`the address ${user}@example.com as not verified`);

      const due = await serve({ ...world.settings, refreshMs: 10_000_000 }, { port: 0 });
      visitor.setCookies(due.url, visitor.cookies(world.publicUrl));
      expect(await sessionOf(visitor, { publicUrl: `${due.url}/` })).toMatchObject({
        status: 401,
        body: {
          code: "SESSION_EXPIRED",
          detail: expect.stringContaining("not verified") as string,
        },
      });
    },
  );

  it("is refused without a report whether the address is verified, unless the server assumes that", async () => {
    await world.provider.setRoles("unreported", "admins");
    const visitor = await signedIn("unreported");
    await world.provider.setVerified("unreported", null);
    const { response } = await new Visitor().signIn(world.publicUrl, "unreported");
    expect(response.status).toBe(400);
    expect(await textOf(response)).toContain(
      "report whether the address unreported@example.com is verified",
    );
    const assuming = await serve(
      { ...world.settings, refreshMs: 10_000_000, assumesVerified: true },
      { port: 0 },
    );
    visitor.setCookies(assuming.url, visitor.cookies(world.publicUrl));
    expect(await sessionOf(visitor, { publicUrl: `${assuming.url}/` })).toMatchObject({
      status: 200,
      body: { actor: "unreported@example.com" },
    });
  });

  it("is refused with another state, from another browser, and if the code was used before", async () => {
    const visitor = new Visitor();
    const callback = await visitor.upToCallback(world.publicUrl, "ada");
    const cookies = new Map(visitor.cookies(world.publicUrl));

    const wrong = new URL(callback);
    wrong.searchParams.set("state", "another");
    expect(await textOf(await visitor.visit(wrong.href))).toMatch(/not begun in this browser/);

    const stranger = await new Visitor().visit(callback);
    expect(stranger.status).toBe(400);
    expect(await textOf(stranger)).toMatch(/not begun in this browser/);

    visitor.setCookies(world.publicUrl, cookies);
    expect((await visitor.visit(callback)).status).toBe(303);
    const again = await visitor.visit(callback);
    expect(again.status).toBe(400);
    expect(await textOf(again)).toMatch(/already used/);

    // Even a browser that has kept the cookie: the provider accepts a code once.
    const thief = new Visitor();
    thief.setCookies(world.publicUrl, cookies);
    const replayed = await thief.visit(callback);
    expect(replayed.status).toBe(400);
    expect(await textOf(replayed)).toMatch(/was used before/);
    expect((await sessionOf(thief)).status).toBe(401);
  });

  it("is refused if the user denies it", async () => {
    const visitor = new Visitor();
    const { response } = await visitor.signIn(world.publicUrl, "");
    expect(response.status).toBe(400);
    expect(await textOf(response)).toMatch(/denied the sign-in \(access_denied\)/);
  });

  it("is refused if the answer is for another client", async () => {
    const other = await serve({ ...world.settings, clientSecret: "wrong" }, { port: 0 });
    const visitor = new Visitor();
    const callback = new URL(await visitor.upToCallback(world.publicUrl, "ada"));
    const cookies = new Map(visitor.cookies(world.publicUrl));
    visitor.setCookies(other.url, cookies);
    const response = await visitor.visit(`${other.url}${callback.pathname}${callback.search}`);
    expect(response.status).toBe(400);
    expect(await textOf(response)).toMatch(/OXBOW_OIDC_CLIENT_SECRET/);
  });

  it("tolerates clocks that differ by seconds, and names the cause if they differ by much", async () => {
    const near = await setup({}, { aheadSeconds: -330 });
    await near.provider.setRoles("ada", "admins");
    await signedIn("ada", near);

    const far = await setup({}, { aheadSeconds: -3_600 });
    await far.provider.setRoles("ada", "admins");
    const { response } = await new Visitor().signIn(far.publicUrl, "ada");
    expect(response.status).toBe(400);
    expect(await textOf(response)).toMatch(/clocks of the provider and of this server differ/);
  });
});

describe("a session", () => {
  it("is accepted by every server with the secret, and while the secret is rotated", async () => {
    const visitor = await signedIn("bob");
    const [rotated, other] = await Promise.all([
      serve({ ...world.settings, sessionSecrets: ["n".repeat(32), SECRET] }, { port: 0 }),
      serve({ ...world.settings, sessionSecrets: ["n".repeat(32)] }, { port: 0 }),
    ]);
    const cookies = visitor.cookies(world.publicUrl);
    for (const [server, status] of [
      [rotated, 200],
      [other, 401],
    ] as const) {
      visitor.setCookies(server.url, cookies);
      expect((await visitor.visit(`${server.url}/v1/queues`)).status).toBe(status);
    }
  });

  it("is refused by servers of another provider, client or address with the same secret", async () => {
    const visitor = await signedIn("bob");
    const cookies = visitor.cookies(world.publicUrl);
    const others: readonly Partial<SignInSettings>[] = [
      { issuer: "http://localhost:1/" },
      { clientId: "another" },
      { publicUrl: "http://localhost:1/" },
    ];
    for (const other of others) {
      const server = await serve({ ...world.settings, ...other }, { port: 0 });
      visitor.setCookies(server.url, cookies);
      expect((await visitor.visit(`${server.url}/v1/queues`)).status).toBe(401);
    }
  });

  it("doesn't survive a change of its cookie", async () => {
    const visitor = await signedIn("bob");
    const [[name, value] = ["", ""]] = visitor.cookies(world.publicUrl);
    const middle = Math.floor(value.length / 2);
    const letter = value[middle] === "A" ? "B" : "A";
    const forged = `${value.slice(0, middle)}${letter}${value.slice(middle + 1)}`;
    visitor.setCookies(world.publicUrl, new Map([[name, forged]]));
    expect((await sessionOf(visitor)).status).toBe(401);
  });

  it("changes nothing without its CSRF token, nor for the page of another site", async () => {
    const visitor = await signedIn("ada");
    const { body } = await sessionOf(visitor);
    const create = async (headers: Record<string, string>): Promise<number> => {
      const response = await visitor.visit(`${world.publicUrl}v1/queues`, {
        method: "POST",
        body: JSON.stringify({ name: "by-ada" }),
        headers: { "content-type": "application/json", ...headers },
      });
      return response.status;
    };
    expect(await create({})).toBe(403);
    expect(await create({ "oxbow-csrf-token": "x".repeat(32) })).toBe(403);
    const token = { "oxbow-csrf-token": body.csrfToken as string };
    expect(await create({ ...token, origin: "https://evil.example" })).toBe(403);
    expect(await create({ ...token, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await create({ ...token, origin: new URL(world.publicUrl).origin })).toBe(201);
  });

  it("can't do what its roles don't allow, nor name another actor", async () => {
    const visitor = await signedIn("bob");
    const { body } = await sessionOf(visitor);
    const refused = await visitor.visit(`${world.publicUrl}v1/queues`, {
      method: "POST",
      body: JSON.stringify({ name: "by-bob" }),
      headers: { "content-type": "application/json", "oxbow-csrf-token": body.csrfToken },
    });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      code: "FORBIDDEN",
      detail: 'The roles of bob@example.com lack the scope "admin".',
    });
    const acting = await visitor.visit(`${world.publicUrl}v1/session`, {
      headers: { "oxbow-actor": "ada@example.com" },
    });
    expect(acting.status).toBe(403);
  });

  it("is refreshed, with the roles that the user has by then, however many requests ask", async () => {
    const own = await setup({ refreshMs: 2_000_000 });
    await own.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", own);
    expect((await sessionOf(visitor, own)).body.scopes).toContain("admin");
    await own.provider.setRoles("ada", "viewers");
    // A session is due as soon as less than half of this is left.
    const fast = await serve({ ...own.settings, refreshMs: 10_000_000 }, { port: 0 });
    visitor.setCookies(fast.url, visitor.cookies(own.publicUrl));
    // The provider would end the session if it saw the same refresh token twice.
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => visitor.visit(`${fast.url}/v1/session`)),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ scopes: ["read"] });
    }
    await own.provider.setRoles("ada");
    const faster = await serve({ ...own.settings, refreshMs: 25_000_000 }, { port: 0 });
    visitor.setCookies(faster.url, visitor.cookies(fast.url));
    const ended = await visitor.visit(`${faster.url}/v1/session`);
    expect(ended.status).toBe(401);
    expect(await ended.json()).toMatchObject({ code: "SESSION_EXPIRED" });
    expect(visitor.cookies(faster.url).size).toBe(0);
  });

  it("expires: a refresh revives it unless its longest duration is over", async () => {
    const short = await setup({ refreshMs: 1_000 });
    await short.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", short);
    const expired = await eventually(
      async () => {
        const response = await visitor.visit(`${short.publicUrl}v1/queues`);
        return { status: response.status, body: (await response.json()) as Body };
      },
      { status: 401 },
    );
    expect(expired.body.code).toBe("SESSION_EXPIRED");
    expect((await sessionOf(visitor, short)).status).toBe(200);

    const over = await setup({ longestMs: 1_000 });
    await over.provider.setRoles("ada", "admins");
    const guest = await signedIn("ada", over);
    await eventually(() => sessionOf(guest, over), { status: 401 });
  });

  it("ends with the sign-out, also at the provider, which refuses its refresh token from then on", async () => {
    const visitor = await signedIn("ada");
    const { body } = await sessionOf(visitor);
    const before = new Map(visitor.cookies(world.publicUrl));
    expect((await visitor.visit(`${world.publicUrl}v1/session`, { method: "DELETE" })).status).toBe(
      403,
    );
    const ended = await visitor.visit(`${world.publicUrl}v1/session`, {
      method: "DELETE",
      headers: { "oxbow-csrf-token": body.csrfToken },
    });
    const { signOutUrl } = (await ended.json()) as { signOutUrl: string };
    const sent = new URL(signOutUrl);
    expect(sent.origin).toBe(world.provider.issuer);
    expect(sent.searchParams.get("post_logout_redirect_uri")).toBe(world.publicUrl);
    expect(sent.searchParams.get("id_token_hint")).toMatch(/^eyJ/);
    expect((await sessionOf(visitor)).status).toBe(401);

    // A copy of the cookie can't be refreshed any more.
    const due = await serve({ ...world.settings, refreshMs: 10_000_000 }, { port: 0 });
    const thief = new Visitor();
    thief.setCookies(due.url, before);
    expect((await sessionOf(thief, { publicUrl: `${due.url}/` })).status).toBe(401);
  });

  it("can be ended once it has expired, or can't be read, but not by the page of another site", async () => {
    const short = await setup({ refreshMs: 1_000 });
    await short.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", short);
    await eventually(async () => (await visitor.visit(`${short.publicUrl}v1/queues`)).status, 401);
    const leave = (headers: Record<string, string> = {}): Promise<Response> =>
      visitor.visit(`${short.publicUrl}v1/session`, { method: "DELETE", headers });
    expect((await leave({ origin: "https://evil.example" })).status).toBe(403);
    expect((await leave({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    const [[name] = [""]] = visitor.cookies(short.publicUrl);
    expect((await leave()).status).toBe(200);
    expect(visitor.cookies(short.publicUrl).size).toBe(0);
    expect((await sessionOf(visitor, short)).status).toBe(401);
    visitor.setCookies(short.publicUrl, new Map([[name, "unreadable"]]));
    expect((await leave()).status).toBe(200);
    expect(visitor.cookies(short.publicUrl).size).toBe(0);
    expect((await leave()).status).toBe(401);
  });

  it("that begins forty times fits into the headers of requests", async () => {
    const visitor = new Visitor();
    for (let tab = 0; tab < 40; tab += 1) {
      const begun = await visitor.visit(
        `${world.publicUrl}auth/sign-in?return=${"x".repeat(1_000)}`,
      );
      expect(begun.status).toBe(303);
    }
    expect(visitor.cookies(world.publicUrl).size).toBeLessThan(5);
    expect((await visitor.visit(`${world.publicUrl}v1/sign-in`)).status).toBe(200);
  });

  it("that ends without a revocation is in the log", async () => {
    const lines: LogLine[] = [];
    const warnings = (): string[] => troubles(lines).map(({ text }) => text);
    const own = await setup();
    await own.provider.setRoles("ada", "admins");
    const server = await serve(own.settings, { port: 0, logger: logTo(lines) });
    const signOut = async (): Promise<void> => {
      const visitor = await signedIn("ada", own);
      const { body } = await sessionOf(visitor, own);
      visitor.setCookies(server.url, visitor.cookies(own.publicUrl));
      await own.provider.refuseTokens(refusing, "server_error");
      const ended = await visitor.visit(`${server.url}/v1/session`, {
        method: "DELETE",
        headers: { "oxbow-csrf-token": body.csrfToken as string },
      });
      expect(ended.status).toBe(200);
    };
    let refusing = 0;
    await signOut();
    expect(warnings()).toEqual([]);
    refusing = 503;
    await signOut();
    expect(warnings()).toEqual(["the refresh token of a user who signed out was not revoked"]);
  });

  it("ends the streams that were opened with it when it expires, and they can be opened again", async () => {
    const own = await setup({ refreshMs: 4_000 });
    await own.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", own);
    const [run] = await database.query<{ id: string }>(
      "select run_id::text as id from queue.workflow_start('followed', null)",
    );
    const open = (path: string): Promise<Response> =>
      eventually(
        async () => {
          await sessionOf(visitor, own);
          return visitor.visit(`${own.publicUrl}${path}`);
        },
        { status: 200 },
      );
    const paths = [
      "v1/workflows/followed/events",
      `v1/workflows/followed/runs/${run?.id}/events`,
      `v1/runs/${run?.id}/stream`,
    ];
    for (const stream of await Promise.all(paths.map(open))) {
      expect(await stream.text()).not.toContain("event: end");
    }
    const again = await open(paths[0] ?? "");
    await again.body?.cancel();
  });

  it("leaves the token of the identity out if it is large, and is refused if it is too large", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(60, "x"));
    const own = await setup({ roles: new Map(names.map((name) => [name, new Set(["read"])])) });
    await own.provider.setRoles("ada", ...names.slice(0, 81));
    const visitor = await signedIn("ada", own);
    expect(visitor.cookies(own.publicUrl).size).toBe(2);
    const { body } = await sessionOf(visitor, own);
    const ended = await visitor.visit(`${own.publicUrl}v1/session`, {
      method: "DELETE",
      headers: { "oxbow-csrf-token": body.csrfToken },
    });
    const { signOutUrl } = (await ended.json()) as { signOutUrl: string };
    expect(new URL(signOutUrl).searchParams.has("id_token_hint")).toBe(false);

    await own.provider.setRoles("ada", ...names);
    const { response } = await new Visitor().signIn(own.publicUrl, "ada");
    expect(response.status).toBe(400);
    expect(await textOf(response)).toContain("too large for a cookie");
  });

  it("has nothing to do with tokens, which may be used beside it", async () => {
    const visitor = await signedIn("ada");
    const response = await visitor.visit(`${world.publicUrl}v1/session`, {
      headers: { authorization: `Bearer ${secretOf("ci")}` },
    });
    expect(await response.json()).toMatchObject({ kind: "token", scopes: ["read"] });
    const end = await world.server.request("DELETE", "/v1/session", { token: "ci" });
    expect(end).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
  });
});

describe("without the provider", () => {
  it("tokens and sessions that have not expired work, and a sign-in gets a clear error", async () => {
    const own = await setup({ refreshMs: 20_000_000 });
    await own.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", own);
    await own.provider.process.kill();
    expect((await own.server.request("GET", "/v1/queues", { token: "ci" })).status).toBe(200);
    expect((await sessionOf(visitor, own)).status).toBe(200);
    const due = await serve({ ...own.settings, refreshMs: 200_000_000 }, { port: 0 });
    visitor.setCookies(due.url, visitor.cookies(own.publicUrl));
    expect((await sessionOf(visitor, { publicUrl: `${due.url}/` })).status).toBe(200);

    const fresh = await serve(own.settings, { port: 0 });
    const refused = await fetch(`${fresh.url}/auth/sign-in`, { redirect: "manual" });
    expect(refused.status).toBe(503);
    expect(await textOf(refused)).toMatch(/identity provider can&#39;t be reached/);

    // It comes back, and the server needs no restart.
    await startOpenIdProvider(own.publicUrl, { port: Number(new URL(own.provider.issuer).port) });
    expect((await fetch(`${fresh.url}/auth/sign-in`, { redirect: "manual" })).status).toBe(303);
  });

  it.each([
    [429, "rate_limited"],
    [400, "slow_down"],
    [400, "temporarily_unavailable"],
  ])("a session survives an answer of %i %s", async (status, error) => {
    const own = await setup();
    await own.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", own);
    await own.provider.refuseTokens(status, error);
    const due = await serve({ ...own.settings, refreshMs: 10_000_000 }, { port: 0 });
    visitor.setCookies(due.url, visitor.cookies(own.publicUrl));
    expect((await sessionOf(visitor, { publicUrl: `${due.url}/` })).status).toBe(200);
    expect(visitor.cookies(due.url).size).toBeGreaterThan(0);
  });

  it("a session that has expired is a 503, and its cookie stays", async () => {
    const own = await setup({ refreshMs: 1_000 });
    await own.provider.setRoles("ada", "admins");
    const visitor = await signedIn("ada", own);
    await own.provider.process.kill();
    const { body } = await eventually(() => sessionOf(visitor, own), { status: 503 });
    expect(body.code).toBe("IDENTITY_PROVIDER_UNAVAILABLE");
    expect(visitor.cookies(own.publicUrl).size).toBeGreaterThan(0);
  });
});

describe("the ways to sign in", () => {
  it("are public", async () => {
    expect((await world.server.get("/v1/sign-in")).body).toEqual({
      token: true,
      openIdConnect: {
        name: new URL(world.settings.issuer).host,
        url: `${world.publicUrl}auth/sign-in`,
      },
    });
    const open = await startTestServer(database);
    expect((await open.get("/v1/sign-in")).body).toEqual({ token: false, openIdConnect: null });
    expect((await open.get("/auth/sign-in")).status).toBe(404);
  });

  it("without tokens leave nothing open", async () => {
    const server = await startTestServer(database, { signIn: world.settings });
    expect((await server.get("/v1/queues")).status).toBe(401);
  });
});
