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
 * `guarded.ts` asks for them. Nothing is stored: any server with the same secret accepts the tokens of the others.
 */
import { SignedTokens, type TokenKind } from "@oxbow/sdk/internal/server";
import { createHash, randomBytes } from "node:crypto";
import { ToolFailure } from "./tool-failure.ts";

/** With short names, since a model repeats the token. */
interface Claims {
  /** Digest of the caller, the tool and its arguments. */
  readonly c: string;
  /** Digest of the objects, and their number. */
  readonly s: string;
  readonly n: number;
  /** Milliseconds since 1970 at which the selection ends: later objects do not belong to it. */
  readonly end?: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** Distinguishes tokens of the same call. */
  readonly id: string;
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
  readonly end: Date | undefined;
}

export interface Confirmation {
  readonly token: string;
  readonly expiresAt: string;
  /** The way to use it, for the model. */
  readonly next: string;
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
      c: digestOf(call),
      s: digestOf(counted.objects.toSorted()),
      n: counted.count,
      ...(counted.end === undefined ? {} : { end: counted.end.getTime() }),
      exp,
      id: randomBytes(6).toString("base64url"),
    });
    if (token === undefined) throw new Error("There is no key for confirmations.");
    return {
      token,
      expiresAt: new Date(exp * 1_000).toISOString(),
      next: `Show the count and the sample to the user. If the user agrees, call ${call.tool} again with the same arguments and this token as confirmation.`,
    };
  }

  /** Where the selection that the token holds for ends. @throws ToolFailure if the token does not hold for this call. */
  async endOf(token: string, call: GuardedCall): Promise<Date | undefined> {
    const { end } = await this.#read(token, call);
    return end === undefined ? undefined : new Date(end);
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
    const { s: set, n: count, id } = await this.#read(token, call);
    if (set !== digestOf(objects.toSorted())) return { isSame: false, count };
    // One of two calls at the same time is refused.
    if (this.#used.has(id)) throw used(call);
    this.#used.add(id);
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
    if (claims.c !== digestOf(call)) {
      throw new ToolFailure(
        `The confirmation was issued for another tool, other arguments or another caller. Nothing was changed. Repeat the same arguments exactly. ${again}`,
      );
    }
    if (claims.exp * 1_000 <= this.#now()) {
      throw new ToolFailure(`The confirmation has expired. Nothing was changed. ${again}`);
    }
    if (this.#used.has(claims.id)) throw used(call);
    return claims;
  }
}

const againWith = ({ tool }: GuardedCall): string =>
  `Call ${tool} without confirmation to get a new one.`;

const used = (call: GuardedCall): ToolFailure =>
  new ToolFailure(`The confirmation was used before. Nothing was changed. ${againWith(call)}`);

/** 128 bits of it, so that the token is short. */
const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("base64url").slice(0, 22);

/** JSON whose objects have their keys in order, and no undefined ones. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
