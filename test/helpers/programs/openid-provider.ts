/**
 * An OpenID provider with one client. Arguments: port, url of the dashboard, and by how many seconds its clock is ahead.
 * `POST /test/roles` changes the roles of a user, `POST /test/verified` whether its address is verified, and
 * `POST /test/refusal` the error that tokens are refused with.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

const [port = "0", publicUrl = "", ahead = "0"] = process.argv.slice(2);
const now = Date.now;
Date.now = () => now() + Number(ahead) * 1_000;

const { default: Provider } = await import("oidc-provider");
const issuer = `http://localhost:${port}`;
const roles = new Map<string, readonly string[]>();
const verified = new Map<string, unknown>();
let refusal = { status: 0, error: "" };
const key = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export({
  format: "jwk",
});

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "oxbow",
      client_secret: "secret-of-the-client",
      redirect_uris: [`${publicUrl}auth/callback`],
      post_logout_redirect_uris: [publicUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
  ],
  jwks: { keys: [{ ...key, use: "sig", alg: "RS256", kid: "test" }] },
  cookies: { keys: [randomBytes(16).toString("hex")] },
  scopes: ["openid", "email", "offline_access"],
  claims: { openid: ["sub"], email: ["email", "email_verified", "groups"] },
  // Only in answers of the userinfo endpoint, as many providers do it.
  conformIdTokenClaims: true,
  findAccount: (_context, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      groups: [...(roles.get(accountId) ?? [])],
      email: `${accountId}@example.com`,
      email_verified: verified.has(accountId) ? verified.get(accountId) : true,
    }),
  }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (context, form) => {
        context.body = `<!doctype html><title>Provider</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out everywhere</button>`;
      },
    },
  },
  pkce: { required: () => true },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  ttl: { IdToken: 300, AccessToken: 300, Interaction: 600, Grant: 3_600, Session: 3_600 },
  // There is nothing to consent to.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client?.clientId ?? "",
      accountId: oidc.session?.accountId ?? "",
    });
    grant.addOIDCScope("openid email offline_access");
    await grant.save();
    return grant;
  },
});

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams(await text(request));

const answer = provider.callback();
createServer((request, response) => {
  void (async () => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname === "/test/roles") {
      const body = await bodyOf(request);
      roles.set(body.get("user") ?? "", body.getAll("role"));
      response.end();
    } else if (url.pathname === "/test/verified") {
      const body = await bodyOf(request);
      verified.set(body.get("user") ?? "", JSON.parse(body.get("value") ?? ""));
      response.end();
    } else if (url.pathname === "/test/refusal") {
      const body = await bodyOf(request);
      refusal = { status: Number(body.get("status")), error: body.get("error") ?? "" };
      response.end();
    } else if (refusal.status > 0 && url.pathname.startsWith("/token")) {
      response.writeHead(refusal.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: refusal.error }));
    } else if (url.pathname.startsWith("/interaction/") && request.method === "POST") {
      const user = (await bodyOf(request)).get("user");
      const result =
        user === null || user === ""
          ? { error: "access_denied", error_description: "The user went away." }
          : { login: { accountId: user } };
      await provider.interactionFinished(request, response, result);
    } else if (url.pathname.startsWith("/interaction/")) {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>Provider</title><form method="post"><input name="user" aria-label="User"><button>Log in</button></form>`,
      );
    } else await answer(request, response);
  })();
}).listen(Number(port), "localhost", () => {
  process.stdout.write(`provides ${issuer}\n`);
});
