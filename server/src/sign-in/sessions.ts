/**
 * Sessions of users who signed in by OpenID Connect.
 *
 * Promises:
 *   W1  A session exists only in the browser's cookie, sealed: any server with the same secrets, provider,
 *       client and public url takes it, and no server keeps it.
 *   W2  It ends at its expiry, at its longest duration, or when the provider refuses to refresh it, as it does after a
 *       sign-out that revoked its token. The server can't end it earlier: a stolen cookie is of use until then.
 *   W3  The roles come from the provider, again at each refresh; their scopes come from the settings, at each request.
 *   W4  Only the request for the session refreshes it, once at a time: providers end sessions whose refresh token they
 *       see twice.
 *   W5  Signing out requires no valid session: it clears the cookie whatever it contains, and revokes what it can.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { forbidden, HttpProblem } from "../http/problems.ts";
import type { Scope } from "../http/scopes.ts";
import { scopesOf } from "./claims.ts";
import { begunUntil, Cookies } from "./cookies.ts";
import { type Account, type Attempt, Provider, SignInFailure } from "./provider.ts";
import { Seal } from "./seal.ts";
import { type SignInSettings, signInDefaults } from "./settings.ts";

/** A session as its cookie has it. */
interface Session extends Account {
  /** Changing requests repeat it, which pages of other sites can't. */
  readonly csrfToken: string;
  /** In milliseconds. */
  readonly expiresAt: number;
  /** In milliseconds: no refresh extends it beyond. */
  readonly endsAt: number;
}

/** The user of a request. */
export interface SignedIn {
  readonly actor: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The user's roles. */
  readonly groups: readonly string[];
  readonly csrfToken: string;
  readonly expiresAt: Date;
}

interface Begun extends Attempt {
  readonly returnTo: string;
}

/** How long a refreshed session is handed to requests that still have its cookie from before. */
const REFRESHED_FOR_MS = 30_000;

export class Sessions {
  readonly #settings: SignInSettings;
  readonly #provider: Provider;
  readonly #cookies: Cookies;
  readonly #sessions: Seal;
  readonly #begun: Seal;
  readonly #refreshing = new Map<string, Promise<Session>>();

  constructor(settings: SignInSettings) {
    this.#settings = settings;
    this.#provider = new Provider(settings);
    this.#cookies = new Cookies(settings.publicUrl);
    // Deployments may share secrets, and a subject is unique only at its issuer.
    const { issuer, clientId, publicUrl, sessionSecrets } = settings;
    const where = `${issuer} ${clientId} ${publicUrl}`;
    this.#sessions = new Seal(sessionSecrets, `session ${where}`);
    this.#begun = new Seal(sessionSecrets, `sign-in ${where}`);
  }

  get publicUrl(): string {
    return this.#settings.publicUrl;
  }

  get providerName(): string {
    return this.#provider.name;
  }

  /** Begins a sign-in. Returns where the browser goes. @throws SignInFailure */
  async begin(request: FastifyRequest, reply: FastifyReply, returnTo: string): Promise<string> {
    const { attempt, url } = await this.#provider.begin();
    const sealed = await this.#begun.close({ ...attempt, returnTo }, begunUntil());
    this.#cookies.setBegun(request, reply, attempt.state, sealed);
    return url.href;
  }

  /** Ends a sign-in. Returns where the browser goes, and who signed in. @throws SignInFailure */
  async finish(
    request: FastifyRequest,
    reply: FastifyReply,
    state: string,
  ): Promise<{ readonly returnTo: string; readonly actor: string }> {
    const sealed = this.#cookies.begun(request, state);
    const begun = sealed === undefined ? undefined : ((await this.#begun.open(sealed)) as Begun);
    this.#cookies.clearBegun(reply, state);
    if (begun === undefined || begun.state !== state) {
      throw new SignInFailure(
        "refused",
        "This sign-in was not begun in this browser, was already used, or took longer than 10 minutes. Sign in again.",
      );
    }
    const account = await this.#provider.finish(new URL(request.url, "http://_").search, begun);
    const endsAt = Date.now() + (this.#settings.longestMs ?? signInDefaults.longestMs);
    const csrfToken = randomBytes(24).toString("base64url");
    await this.#give(reply, {
      ...account,
      csrfToken,
      endsAt,
      expiresAt: this.#expiry(account, endsAt),
    });
    return { returnTo: begun.returnTo, actor: account.actor };
  }

  /** Whether the request has the cookie of a session, whatever it contains. */
  isKnown(request: FastifyRequest): boolean {
    return this.#cookies.session(request) !== undefined;
  }

  /**
   * The user of a request; undefined without a session.
   *
   * @throws HttpProblem 401 if the session has expired, 403 without the token of a changing request.
   */
  async identify(request: FastifyRequest): Promise<SignedIn | undefined> {
    const session = await this.#read(request);
    if (session === undefined) return undefined;
    if (session.expiresAt <= Date.now()) throw expired();
    this.#checkCsrf(request, session);
    return this.#signedIn(session);
  }

  /**
   * The same for the request for the session itself: refreshes a session that has used up half of its time, or has
   * expired.
   *
   * @throws HttpProblem 401 if the provider ends the session; 503 if it is away, and the session has expired.
   */
  async refresh(request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | undefined> {
    const session = await this.#read(request);
    if (session === undefined) return undefined;
    const now = Date.now();
    const isDue =
      session.expiresAt - now < this.#refreshMs / 2 && session.expiresAt < session.endsAt;
    const { refreshToken } = session;
    if (!isDue || refreshToken === undefined) {
      if (session.expiresAt <= now) throw this.#end(reply);
      return this.#signedIn(session);
    }
    try {
      const refreshed = await this.#refreshOnce(session, refreshToken);
      await this.#give(reply, refreshed);
      return this.#signedIn(refreshed);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      if (error.kind !== "away") throw this.#end(reply, error.message);
      if (session.expiresAt > now) return this.#signedIn(session);
      throw new HttpProblem("IDENTITY_PROVIDER_UNAVAILABLE", error.message);
    }
  }

  /** Ends the session in this browser. Returns where it ends at the provider. */
  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    const session = await this.#read(request);
    this.#cookies.clearSession(reply);
    const url = await this.#provider.signOut(session ?? {}, request.log);
    return url?.href ?? null;
  }

  get #refreshMs(): number {
    return this.#settings.refreshMs ?? signInDefaults.refreshMs;
  }

  async #read(request: FastifyRequest): Promise<Session | undefined> {
    const sealed = this.#cookies.session(request);
    return sealed === undefined ? undefined : ((await this.#sessions.open(sealed)) as Session);
  }

  #checkCsrf({ method, headers }: FastifyRequest, { csrfToken }: Session): void {
    if (method === "GET" || method === "HEAD") return;
    const given = Buffer.from(String(headers["oxbow-csrf-token"] ?? ""));
    const expected = Buffer.from(csrfToken);
    if (given.length === expected.length && timingSafeEqual(given, expected)) return;
    throw forbidden(
      "The request lacks the CSRF token of the session. Send the header Oxbow-CSRF-Token with the csrfToken of GET /v1/session.",
    );
  }

  #signedIn({ actor, roles, csrfToken, expiresAt }: Session): SignedIn {
    const scopes = scopesOf(roles, this.#settings.roles);
    return { actor, scopes, groups: roles, csrfToken, expiresAt: new Date(expiresAt) };
  }

  /** Without a refresh token, the provider cannot be asked in between. */
  #expiry({ refreshToken }: Account, endsAt: number): number {
    return refreshToken === undefined ? endsAt : Math.min(endsAt, Date.now() + this.#refreshMs);
  }

  #refreshOnce(session: Session, refreshToken: string): Promise<Session> {
    const { csrfToken, endsAt, idToken, subject } = session;
    const key = `${csrfToken} ${session.expiresAt}`;
    const known = this.#refreshing.get(key);
    if (known !== undefined) return known;
    const refreshed = this.#provider.refresh(subject, refreshToken).then((account) => ({
      ...account,
      idToken: account.idToken ?? idToken,
      csrfToken,
      endsAt,
      expiresAt: this.#expiry(account, endsAt),
    }));
    this.#refreshing.set(key, refreshed);
    const forget = (): void => void this.#refreshing.delete(key);
    refreshed.then(() => setTimeout(forget, REFRESHED_FOR_MS).unref(), forget);
    return refreshed;
  }

  async #give(reply: FastifyReply, session: Session): Promise<void> {
    // The cookie outlives the expiry, since the session can still be refreshed.
    const endsAt = new Date(session.endsAt);
    const sealed = await this.#sessions.close({ ...session }, endsAt);
    // The token of the identity is only of use at the sign-out, and some are large.
    const fits = this.#cookies.fitsSession(sealed)
      ? sealed
      : await this.#sessions.close({ ...session, idToken: undefined }, endsAt);
    if (!this.#cookies.fitsSession(fits)) {
      throw new SignInFailure(
        "refused",
        "The session is too large for a cookie. An administrator must make the provider issue shorter refresh tokens, or assign fewer roles to this user.",
      );
    }
    this.#cookies.setSession(reply, fits, endsAt);
  }

  #end(reply: FastifyReply, why?: string): HttpProblem {
    this.#cookies.clearSession(reply);
    return expired(why);
  }
}

const expired = (why = "The session has expired. Sign in again."): HttpProblem =>
  new HttpProblem("SESSION_EXPIRED", why);
