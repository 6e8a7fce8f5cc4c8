/** A real OpenID provider in a separate process, and a browser's part in signing in, without a browser. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import type { Scope, SignInSettings } from "@oxbow/server";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export interface OpenIdProvider {
  readonly issuer: string;
  readonly process: WorkerProcess;
  /** Gives a user these roles. */
  setRoles(user: string, ...roles: readonly string[]): Promise<void>;
  /** Reports this as `email_verified` of a user. */
  setVerified(user: string, value: unknown): Promise<void>;
  /** Refuses each request for tokens, and each revocation, from now on; with the status 0, it stops refusing. */
  refuseTokens(status: number, error: string): Promise<void>;
}

/** @param publicUrl Of the dashboard. */
export async function startOpenIdProvider(
  publicUrl: string,
  { aheadSeconds = 0, port }: { readonly aheadSeconds?: number; readonly port?: number } = {},
): Promise<OpenIdProvider> {
  const own = port ?? (await findFreePort());
  const issuer = `http://localhost:${own}`;
  const provider = startWorkerProcess(new URL("programs/openid-provider.ts", import.meta.url), {
    args: [String(own), publicUrl, String(aheadSeconds)],
  });
  await provider.line(/^provides/);
  const post = async (path: string, body: URLSearchParams): Promise<void> => {
    await fetch(`${issuer}/test/${path}`, { method: "POST", body });
  };
  return {
    issuer,
    process: provider,
    setRoles: (user, ...roles) => {
      const body = new URLSearchParams({ user });
      for (const role of roles) body.append("role", role);
      return post("roles", body);
    },
    setVerified: (user, value) =>
      post("verified", new URLSearchParams({ user, value: JSON.stringify(value) })),
    refuseTokens: (status, error) =>
      post("refusal", new URLSearchParams({ status: String(status), error })),
  };
}

/** How a server lets the users of a provider sign in. */
export const signInAt = (
  { issuer }: Pick<OpenIdProvider, "issuer">,
  publicUrl: string,
): SignInSettings => ({
  issuer,
  clientId: "oxbow",
  clientSecret: "secret-of-the-client",
  publicUrl,
  sessionSecrets: ["s".repeat(32)],
  requestedScopes: "openid email offline_access",
  rolesClaim: "groups",
  actorClaim: "email",
  roles: new Map<string, ReadonlySet<Scope>>([
    ["admins", new Set(["admin"])],
    ["operators", new Set(["read", "produce"])],
    ["viewers", new Set(["read"])],
  ]),
});

/** Cookies and redirects, as a browser has them. Each port is another site. */
export class Visitor {
  readonly #jars = new Map<string, Map<string, string>>();

  async visit(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#jars.get(origin) ?? new Map<string, string>();
    this.#jars.set(origin, jar);
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        ...(init.headers as Record<string, string> | undefined),
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects until a page, or until an address that matches. Returns where it ends. */
  async follow(
    from: string,
    until?: RegExp,
  ): Promise<{ readonly url: string; readonly response: Response }> {
    let url = from;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.visit(url);
      const location = response.headers.get("location");
      if (location === null) return { url, response };
      url = new URL(location, url).href;
      if (until?.test(url) === true) return { url, response };
    }
    throw new Error(`Too many redirects, last to ${url}.`);
  }

  /** Signs in up to the callback. Returns the callback's address, which was not visited yet. */
  async upToCallback(publicUrl: string, user: string, returnTo = "/runs"): Promise<string> {
    const start = `${publicUrl}auth/sign-in?return=${encodeURIComponent(returnTo)}`;
    const form = await this.follow(start, /\/auth\/callback/);
    if (form.url.includes("/auth/callback")) return form.url;
    const answered = await this.visit(form.url, {
      method: "POST",
      body: new URLSearchParams({ user }),
    });
    const location = new URL(answered.headers.get("location") ?? "", form.url).href;
    const { url } = await this.follow(location, /\/auth\/callback/);
    return url;
  }

  /** Signs in. Returns where the sign-in ends, and with which answer. */
  async signIn(
    publicUrl: string,
    user: string,
    returnTo?: string,
  ): Promise<{ readonly location: string | null; readonly response: Response }> {
    const response = await this.visit(await this.upToCallback(publicUrl, user, returnTo));
    return { location: response.headers.get("location"), response };
  }

  /** The cookies of a site. */
  cookies(url: string): ReadonlyMap<string, string> {
    return this.#jars.get(new URL(url).origin) ?? new Map();
  }

  setCookies(url: string, cookies: ReadonlyMap<string, string>): void {
    this.#jars.set(new URL(url).origin, new Map(cookies));
  }
}
