/** The caller of a request, and whether it may use a route. */
import type {
  LeaseGrant,
  LeaseTokenKeys,
  RunGrant,
  RunTokenKeys,
} from "@oxbow/sdk/internal/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Sessions } from "../sign-in/sessions.ts";
import { leaseTokensIn, verifyLeases } from "./lease-access.ts";
import { checkOrigin } from "./origins.ts";
import { forbidden, HttpProblem, invalidRequest, invalidToken } from "./problems.ts";
import { runTokenIn } from "./run-access.ts";
import { includesScope, type Scope } from "./scopes.ts";
import { secretIn, type Token, tokenOf } from "./tokens.ts";

/** The caller of a request. */
export interface Identity {
  /** The name of the actor; null on a server without tokens, which does not know. */
  readonly actor: string | null;
  /** How the server knows: `user` signed in by OpenID Connect, `delegate` was named by a token with the scope `act`. */
  readonly kind: "anyone" | "token" | "user" | "delegate";
  readonly scopes: ReadonlySet<Scope>;
  /** Roles of a user, by which requests for approval may name approvers. */
  readonly groups?: readonly string[];
  /** Name of the token, for a delegate. */
  readonly token?: string;
  /** When the caller has to sign in again; null for never. */
  readonly expiresAt: Date | null;
  /** Token that changing requests of a user repeat. */
  readonly csrfToken?: string;
  /** What a run token opens, which has no scope. */
  readonly run?: RunGrant;
  /** The leases that lease tokens open, which have no scope. */
  readonly leases?: readonly LeaseGrant[];
}

const ANYONE: Identity = {
  actor: null,
  kind: "anyone",
  scopes: new Set<Scope>(["admin"]),
  expiresAt: null,
};

/** An actor is a line of text, in a header that has no other encoding. */
const ACTOR = /^[!-~](?:[ -~]{0,198}[!-~])?$/;

export interface AccessOptions {
  readonly tokens: readonly Token[];
  /** Sessions of users; undefined if users can't sign in. */
  readonly sessions: Sessions | undefined;
  /** Keys that verify run tokens. */
  readonly runTokens: RunTokenKeys;
  /** Keys that verify lease tokens. */
  readonly leaseTokens: LeaseTokenKeys;
}

/** Decides who calls. */
export class Access {
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Whether anyone has all scopes, since there are neither tokens nor users. */
  get isOpen(): boolean {
    return this.#options.tokens.length === 0 && this.#options.sessions === undefined;
  }

  /**
   * The caller of a request: by its token, or else by its session.
   *
   * @param reply Of the request for the session itself, which refreshes it.
   * @throws HttpProblem 401 without a valid token or session; 403 if the caller names an actor without the scope `act`,
   *   or if another page sent the request.
   */
  async identify(request: FastifyRequest, reply?: FastifyReply): Promise<Identity> {
    const { headers } = request;
    const named = headers["oxbow-actor"];
    const runToken = runTokenIn(request);
    if (runToken !== undefined) {
      if (named !== undefined) throw mayNotAct("A run token");
      return this.#identifyRun(runToken);
    }
    const leaseTokens = leaseTokensIn(request);
    if (leaseTokens.length > 0) {
      if (named !== undefined) throw mayNotAct("A lease token");
      return this.#identifyFunction(leaseTokens);
    }
    if (this.isOpen) {
      if (named !== undefined) throw mayNotAct("A request without a token");
      return ANYONE;
    }
    if (headers.authorization !== undefined)
      return this.#identifyToken(headers.authorization, named);
    const user = await this.#identifyUser(request, reply);
    if (user === undefined) {
      throw new HttpProblem(
        "UNAUTHORIZED",
        "The request has no token. Send the header Authorization: Bearer <token>.",
        { "www-authenticate": "Bearer" },
      );
    }
    if (named !== undefined) throw mayNotAct("A signed-in user");
    return user;
  }

  /**
   * The caller of the sign-out: null with a session that is no longer valid, since leaving requires no session. Pages
   * of other sites are refused in any case.
   *
   * @throws HttpProblem as `identify()` does for tokens, and for pages of other sites.
   */
  async identifyLeaving(request: FastifyRequest): Promise<Identity | null> {
    try {
      return await this.identify(request);
    } catch (error) {
      const isOut =
        request.headers.authorization === undefined &&
        error instanceof HttpProblem &&
        (error.code === "SESSION_EXPIRED" || error.code === "UNAUTHORIZED");
      if (!isOut || this.#options.sessions?.isKnown(request) !== true) throw error;
      checkPage(request, this.#options.sessions);
      return null;
    }
  }

  async #identifyRun(token: string): Promise<Identity> {
    const run = await this.#options.runTokens.verify(token);
    if (run === undefined) {
      throw invalidToken(
        this.#options.runTokens.areThere
          ? "The run token is invalid: no key of this server signed it."
          : "The server has no key for run tokens. Set OXBOW_RUN_TOKEN_KEYS to the keys that sign them.",
      );
    }
    if (run.expiresAt.getTime() <= Date.now()) {
      throw invalidToken(`The run token expired at ${run.expiresAt.toISOString()}. Get a new one.`);
    }
    const actor = run.name === undefined ? "run-token" : `run-token/${run.name}`;
    return { actor, kind: "token", scopes: new Set(), expiresAt: run.expiresAt, run };
  }

  async #identifyFunction(tokens: readonly string[]): Promise<Identity> {
    const leases = await verifyLeases(tokens, this.#options.leaseTokens);
    const expiresAt = new Date(Math.min(...leases.map((lease) => lease.expiresAt.getTime())));
    return { actor: "endpoint", kind: "token", scopes: new Set(), expiresAt, leases };
  }

  #identifyToken(header: string, named: string | string[] | undefined): Identity {
    const token = tokenOf(secretIn(header) ?? "", this.#options.tokens);
    if (token === undefined) {
      throw invalidToken("The token is invalid.");
    }
    const { name, scopes } = token;
    if (named === undefined) return { actor: name, kind: "token", scopes, expiresAt: null };
    if (!scopes.has("act")) throw mayNotAct(`The token "${name}"`);
    if (typeof named !== "string" || !ACTOR.test(named)) {
      throw invalidRequest(
        "The header Oxbow-Actor is invalid: give 1 to 200 printable ASCII characters.",
      );
    }
    return { actor: named, kind: "delegate", scopes, token: name, expiresAt: null };
  }

  async #identifyUser(
    request: FastifyRequest,
    reply: FastifyReply | undefined,
  ): Promise<Identity | undefined> {
    const sessions = this.#options.sessions;
    if (sessions === undefined) return undefined;
    const user = await (reply === undefined
      ? sessions.identify(request)
      : sessions.refresh(request, reply));
    if (user === undefined) return undefined;
    checkPage(request, sessions);
    return { ...user, kind: "user" };
  }
}

/** @throws HttpProblem 403 if a page of another site sent the request. */
function checkPage(request: FastifyRequest, { publicUrl }: Sessions): void {
  const { origin, hostname } = new URL(publicUrl);
  if (request.headers.origin !== origin) checkOrigin(request, new Set([hostname]));
}

const mayNotAct = (caller: string): HttpProblem =>
  forbidden(
    `${caller} can't name another actor. Leave out the header Oxbow-Actor, or use a token with the scope "act".`,
  );

/** @throws HttpProblem 403 if the caller lacks the scope. */
export function requireScope({ scopes, kind, actor }: Identity, scope: Scope): void {
  if (includesScope(scopes, scope)) return;
  if (kind === "user") {
    throw forbidden(`The roles of ${actor ?? "the user"} lack the scope "${scope}".`);
  }
  throw new HttpProblem("FORBIDDEN", `The token lacks the scope "${scope}".`, {
    "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}
