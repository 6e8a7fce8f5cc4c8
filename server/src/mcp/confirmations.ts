/**
 * Confirmations: a tool that changes several objects answers a first call with a token, and acts at a second call with the
 * same arguments and the token.
 *
 * Promises:
 *   C1  A token holds for one caller, one tool, its arguments, and the objects that were counted. It can't be made without
 *       a secret of the server, so no value of a user contains one that a call accepts.
 *   C2  It expires after ten minutes, and a process accepts it once. Another process that has the secret accepts it
 *       again only while exactly the same objects, as they were counted, are still there to be changed.
 *
 * Nothing is stored: any server with the same secret accepts the tokens of the others.
 */
import { SignedTokens, type TokenKind } from "@oxbow/sdk/internal/server";
import { createHash, randomBytes } from "node:crypto";
import { ToolFailure } from "./tool-failure.ts";

interface Claims {
  /** Digest of the caller, the tool and its arguments. */
  readonly call: string;
  /** Digest of the objects. */
  readonly set: string;
  readonly count: number;
  /** Where the selection ends: later objects do not belong to it. */
  readonly end?: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly nonce: string;
}

/** A call that is to be confirmed. */
export interface GuardedCall {
  readonly tool: string;
  readonly subject: string;
  /** Without the token. */
  readonly input: object;
}

/** The objects of a call, as they were counted. */
export interface Counted {
  /** Keys of the objects, in any order. */
  readonly objects: readonly string[];
  readonly count: number;
  readonly end: string | undefined;
}

export interface Confirmation {
  readonly token: string;
  readonly expiresAt: string;
}

const KIND: TokenKind = { prefix: "oxconfirm_", purpose: "oxbow confirmation of a tool of MCP" };
const HOLDS_MS = 600_000;
/** Used tokens that are remembered; more than a process accepts in ten minutes. */
const MOST_REMEMBERED = 10_000;

export class Confirmations {
  readonly #tokens: SignedTokens<Claims>;
  readonly #now: () => number;
  readonly #used = new Set<string>();

  /** @param secrets Those of the server, so that its other processes accept the tokens. Without one, this process does. */
  constructor(secrets: readonly string[], now: () => number = Date.now) {
    const known = secrets.length > 0 ? secrets : [randomBytes(32).toString("hex")];
    this.#tokens = new SignedTokens<Claims>(KIND, known);
    this.#now = now;
  }

  async issue(call: GuardedCall, counted: Counted): Promise<Confirmation> {
    const exp = Math.ceil((this.#now() + HOLDS_MS) / 1_000);
    const token = await this.#tokens.sign({
      call: digestOf(call),
      set: digestOf(counted.objects.toSorted()),
      count: counted.count,
      ...(counted.end === undefined ? {} : { end: counted.end }),
      exp,
      nonce: randomBytes(6).toString("hex"),
    });
    if (token === undefined) throw new Error("There is no key for confirmations.");
    return { token, expiresAt: new Date(exp * 1_000).toISOString() };
  }

  /** Where the selection that the token holds for ends. @throws ToolFailure if the token does not hold for this call. */
  async endOf(token: string, call: GuardedCall): Promise<string | undefined> {
    return (await this.#read(token, call)).end;
  }

  /**
   * Accepts a token, once.
   *
   * @returns How many objects were counted, if these are others.
   * @throws ToolFailure if the token does not hold for this call.
   */
  async accept(
    token: string,
    call: GuardedCall,
    { objects }: Pick<Counted, "objects">,
  ): Promise<{ readonly isSame: boolean; readonly count: number }> {
    const { set, count, nonce } = await this.#read(token, call);
    if (set !== digestOf(objects.toSorted())) return { isSame: false, count };
    // One of two calls at the same time is refused.
    if (this.#used.has(nonce)) throw used(call);
    this.#used.add(nonce);
    const [oldest = ""] = this.#used;
    if (this.#used.size > MOST_REMEMBERED) this.#used.delete(oldest);
    return { isSame: true, count };
  }

  async #read(token: string, call: GuardedCall): Promise<Claims> {
    const claims = await this.#tokens.verify(token);
    const again = againWith(call);
    if (claims === undefined) {
      throw new ToolFailure(
        `The confirmation is invalid: this server has not issued it. Nothing was changed. Only a result of ${call.tool} contains one. ${again}`,
      );
    }
    if (claims.call !== digestOf(call)) {
      throw new ToolFailure(
        `The confirmation was issued for another tool, other arguments or another caller. Nothing was changed. Repeat the same arguments exactly. ${again}`,
      );
    }
    if (claims.exp * 1_000 <= this.#now()) {
      throw new ToolFailure(`The confirmation has expired. Nothing was changed. ${again}`);
    }
    if (this.#used.has(claims.nonce)) throw used(call);
    return claims;
  }
}

const againWith = ({ tool }: GuardedCall): string =>
  `Call ${tool} without confirmation to get a new one.`;

const used = (call: GuardedCall): ToolFailure =>
  new ToolFailure(`The confirmation was used before. Nothing was changed. ${againWith(call)}`);

const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("base64url");

/** JSON whose objects have their keys in order, and no undefined ones. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
