/**
 * The OpenID provider. The library checks what it answers: signatures, issuer, audience, nonce and times.
 *
 * Promises:
 *   V1  The server starts without the provider, and works for tokens while it is away.
 *   V2  What the provider publishes about itself is read at the first sign-in, and again after an hour; while it can't be
 *       read, the last that was read applies.
 *   V3  Each failure is one of three: `away` (or limits requests: try again later), `refused` (by the provider, or its
 *       answer is not valid) or `no-role`. Its message is for users and contains no secret.
 */
import {
  AuthorizationResponseError,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  None,
  ResponseBodyError,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  WWWAuthenticateChallengeError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from "openid-client";
import type { FastifyBaseLogger } from "fastify";
import { logFailedRevocation } from "../telemetry/log.ts";
import { isLoopbackName } from "../http/hosts.ts";
import { actorOf, claimAt, type Claims, isVerified, rolesIn } from "./claims.ts";
import { type SignInSettings, signInDefaults } from "./settings.ts";

/** A user, as the provider reports it. */
export interface Account {
  readonly subject: string;
  readonly actor: string;
  /** Roles that have scopes here. */
  readonly roles: readonly string[];
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
}

/** A sign-in that has begun, as the browser keeps it. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly kind: "away" | "refused" | "no-role";

  constructor(kind: SignInFailure["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const ANSWER_WITHIN_S = 10;
/** How far the clocks of provider and server may differ. */
const CLOCK_TOLERANCE_S = 60;
const KNOWN_FOR_MS = 3_600_000;

export class Provider {
  readonly #settings: SignInSettings;
  #known: { readonly config: Configuration; readonly until: number } | undefined;
  #reading: Promise<Configuration> | undefined;

  constructor(settings: SignInSettings) {
    this.#settings = settings;
  }

  get name(): string {
    return this.#settings.providerName ?? new URL(this.#settings.issuer).host;
  }

  get #callback(): string {
    return `${this.#settings.publicUrl}auth/callback`;
  }

  /** Begins a sign-in: what the browser keeps, and where it goes. @throws SignInFailure */
  async begin(): Promise<{ readonly attempt: Attempt; readonly url: URL }> {
    const config = await this.#configuration();
    const attempt = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(config, {
      redirect_uri: this.#callback,
      scope: this.#settings.requestedScopes ?? signInDefaults.requestedScopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
    });
    return { attempt, url };
  }

  /** Ends a sign-in. @param query Of the callback. @throws SignInFailure */
  async finish(query: string, { state, nonce, verifier }: Attempt): Promise<Account> {
    const config = await this.#configuration();
    const url = new URL(`${this.#callback}${query}`);
    return this.#accountIn(config, () =>
      authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }),
    );
  }

  /** Asks again who the user is. @throws SignInFailure */
  async refresh(subject: string, refreshToken: string): Promise<Account> {
    const config = await this.#configuration();
    const account = await this.#accountIn(
      config,
      () => refreshTokenGrant(config, refreshToken),
      subject,
    );
    if (account.subject !== subject) {
      throw new SignInFailure("refused", "The provider answered with another user. Sign in again.");
    }
    return { ...account, refreshToken: account.refreshToken ?? refreshToken };
  }

  /**
   * Revokes the refresh token; the log has why if that fails. Returns where the browser signs out at the provider;
   * undefined if the provider has no such page, or is away.
   */
  async signOut(
    { idToken, refreshToken }: Partial<Pick<Account, "idToken" | "refreshToken">>,
    log: FastifyBaseLogger,
  ): Promise<URL | undefined> {
    let config: Configuration;
    try {
      config = await this.#configuration();
    } catch (error) {
      if (refreshToken !== undefined) logFailedRevocation(log, error);
      return undefined;
    }
    if (refreshToken !== undefined) {
      await revoke(config, refreshToken).catch((error: unknown) => logFailedRevocation(log, error));
    }
    try {
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(config, {
        post_logout_redirect_uri: this.#settings.publicUrl,
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
      });
    } catch {
      return undefined;
    }
  }

  async #accountIn(
    config: Configuration,
    ask: () => Promise<TokenEndpointResponse & TokenEndpointResponseHelpers>,
    known?: string,
  ): Promise<Account> {
    const { rolesClaim = signInDefaults.rolesClaim, actorClaim = signInDefaults.actorClaim } =
      this.#settings;
    let claims: Claims;
    let tokens: TokenEndpointResponse;
    let subject: string | undefined;
    try {
      const answer = await ask();
      tokens = answer;
      const inToken = answer.claims();
      subject = inToken?.sub ?? known;
      claims = { ...inToken };
      // Many providers return roles, and addresses, only here.
      const isMissing = [
        rolesClaim,
        actorClaim,
        ...(actorClaim === "email" ? ["email_verified"] : []),
      ].some((claim) => claimAt(claims, claim) === undefined);
      const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
      if (isMissing && hasMore && subject !== undefined) {
        claims = { ...(await fetchUserInfo(config, answer.access_token, subject)), ...claims };
      }
    } catch (error) {
      throw toFailure(error);
    }
    if (subject === undefined) throw new SignInFailure("refused", "The provider named no user.");
    const actor = actorOf(claims, actorClaim, subject);
    if (actorClaim === "email" && actor !== subject) {
      requireVerified(
        actor,
        isVerified(claims) ?? (this.#settings.assumesVerified === true ? true : undefined),
      );
    }
    const has = rolesIn(claims, rolesClaim);
    const roles = has.filter((role) => this.#settings.roles.has(role));
    if (roles.length === 0) {
      throw new SignInFailure(
        "no-role",
        `${actor} has no role on this server: the claim "${rolesClaim}" ${
          has.length === 0
            ? "is missing"
            : `has ${has
                .slice(0, 10)
                .map((role) => `"${role.slice(0, 60)}"`)
                .join(", ")}`
        }. Ask an administrator to assign a role, or sign in as another user.`,
      );
    }
    return { subject, actor, roles, refreshToken: tokens.refresh_token, idToken: tokens.id_token };
  }

  async #configuration(): Promise<Configuration> {
    if (this.#known !== undefined && this.#known.until > Date.now()) return this.#known.config;
    this.#reading ??= this.#discover().finally(() => {
      this.#reading = undefined;
    });
    try {
      return await this.#reading;
    } catch (error) {
      if (this.#known !== undefined) return this.#known.config;
      throw toFailure(error);
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const isLocal = url.protocol === "http:" && isLoopbackName(url.hostname);
    const config = await discovery(
      url,
      clientId,
      { [clockTolerance]: CLOCK_TOLERANCE_S },
      clientSecret === undefined ? None() : secretAsAccepted(clientSecret),
      {
        timeout: ANSWER_WITHIN_S,
        execute: checksFor(isLocal),
      },
    );
    this.#known = { config, until: Date.now() + KNOWN_FOR_MS };
    return config;
  }
}

/** Anyone may claim another one's address at a provider that doesn't verify it. */
function requireVerified(address: string, isReported: boolean | undefined): void {
  if (isReported === true) return;
  const named = "and this server names users by their addresses.";
  throw new SignInFailure(
    "refused",
    isReported === false
      ? `The provider reports the address ${address} as not verified, ${named} Verify the address at the provider, and sign in again.`
      : `The provider doesn't report whether the address ${address} is verified (claim "email_verified"), ${named} Ask an administrator of this server: its documentation of sign-in has the settings.`,
  );
}

async function revoke(config: Configuration, refreshToken: string): Promise<void> {
  if (config.serverMetadata().revocation_endpoint === undefined) {
    throw new Error("The provider has no revocation endpoint.");
  }
  await tokenRevocation(config, refreshToken);
}

/** Signatures are checked too, although the answer comes from the provider itself. */
const checksFor = (isLocal: boolean) =>
  isLocal
    ? // Only for providers on this machine, in development.
      // oxlint-disable-next-line typescript/no-deprecated
      [enableNonRepudiationChecks, allowInsecureRequests]
    : [enableNonRepudiationChecks];

/** In the header, which the standard has as its default, unless the provider accepts the secret only in the body. */
function secretAsAccepted(secret: string): ClientAuth {
  const inHeader = ClientSecretBasic(secret);
  const inBody = ClientSecretPost(secret);
  return (provider, ...rest) => {
    const accepted = provider.token_endpoint_auth_methods_supported;
    const isInHeader = accepted === undefined || accepted.includes("client_secret_basic");
    (isInHeader ? inHeader : inBody)(provider, ...rest);
  };
}

const AGAIN = "Sign in again.";
const TOO_MANY_REQUESTS = 429;
/** Errors that pass by themselves: a rate limit must not end the sessions of all users. */
const PASSING: ReadonlySet<string> = new Set(["temporarily_unavailable", "slow_down"]);

function toFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof AuthorizationResponseError) {
    if (PASSING.has(error.error)) return away(error);
    const why =
      error.error === "access_denied"
        ? "The provider denied the sign-in"
        : "The provider refused the sign-in";
    return new SignInFailure("refused", `${why} (${shown(error.error)}). ${AGAIN}`, error);
  }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    const why = "error" in error ? error.error : `status ${error.status}`;
    if (error.status >= 500 || error.status === TOO_MANY_REQUESTS || PASSING.has(why)) {
      return away(error);
    }
    return new SignInFailure(
      "refused",
      why === "invalid_grant"
        ? `The provider refused the code or the session: it has expired, or was used before. ${AGAIN}`
        : `The provider refused this server (${shown(why)}). An administrator must check OXBOW_OIDC_CLIENT_ID and OXBOW_OIDC_CLIENT_SECRET.`,
      error,
    );
  }
  if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") {
    return new SignInFailure(
      "refused",
      `The clocks of the provider and of this server differ by more than ${CLOCK_TOLERANCE_S} seconds. An administrator must correct them.`,
      error,
    );
  }
  const isAnswer =
    error instanceof ClientError && !/TIMEOUT|ABORT|RESPONSE_IS_NOT_CONFORM/.test(code);
  if (isAnswer) {
    return new SignInFailure(
      "refused",
      `The provider's answer is not valid (${code}). ${AGAIN}`,
      error,
    );
  }
  return away(error);
}

const away = (cause: unknown): SignInFailure =>
  new SignInFailure(
    "away",
    "The identity provider can't be reached, or limits requests. Try again later.",
    cause,
  );

/** Text of another server. */
const shown = (text: string): string => text.replaceAll(/[^\w .-]/g, "").slice(0, 60);
