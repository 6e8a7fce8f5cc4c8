/** Cookies: the session, and sign-ins that have begun. Only the server reads them. */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Browsers drop cookies of more than 4,096 bytes, name and attributes included. */
const MOST_BYTES = 3_800;
/** Node accepts 16 KiB of headers in all, and proxies often 8 KiB. */
const MOST_PARTS = 2;
const BEGUN_S = 600;
/** Maximum size of all sign-ins that have begun: browsers send them with each request. */
const MOST_BEGUN_BYTES = 5_000;

export class Cookies {
  readonly #path: string;
  readonly #isSecure: boolean;
  readonly #session: string;
  readonly #begun: string;

  constructor(publicUrl: string) {
    const { protocol, pathname } = new URL(publicUrl);
    this.#path = pathname;
    this.#isSecure = protocol === "https:";
    // Browsers accept a name with this prefix only from the host itself, over https.
    const prefix = !this.#isSecure ? "" : pathname === "/" ? "__Host-" : "__Secure-";
    this.#session = `${prefix}oxbow-session`;
    this.#begun = `${prefix}oxbow-sign-in`;
  }

  /** The sealed session of a request. */
  session({ cookies }: FastifyRequest): string | undefined {
    const parts: string[] = [];
    for (let index = 0; index < MOST_PARTS; index += 1) {
      const part = cookies[this.#part(index)];
      if (part === undefined) break;
      parts.push(part);
    }
    return parts.length === 0 ? undefined : parts.join("");
  }

  fitsSession(sealed: string): boolean {
    return sealed.length <= MOST_BYTES * MOST_PARTS;
  }

  /** Never sent with requests that another site causes: the page asks for data only once it is loaded. */
  setSession(reply: FastifyReply, sealed: string, expires: Date): void {
    for (let index = 0; index < MOST_PARTS; index += 1) {
      const part = sealed.slice(index * MOST_BYTES, (index + 1) * MOST_BYTES);
      if (part === "") this.#clear(reply, this.#part(index));
      else
        reply.setCookie(this.#part(index), part, {
          ...this.#attributes,
          sameSite: "strict",
          expires,
        });
    }
  }

  clearSession(reply: FastifyReply): void {
    this.setSession(reply, "", new Date(0));
  }

  /** Several tabs may sign in at the same time. */
  begun({ cookies }: FastifyRequest, state: string): string | undefined {
    return cookies[this.#begunName(state)];
  }

  /** Sent along when the provider's page leads back, which is a request from another site. */
  setBegun(request: FastifyRequest, reply: FastifyReply, state: string, sealed: string): void {
    let bytes = sealed.length;
    // Browsers send the oldest first.
    for (const [name, value] of Object.entries(request.cookies).toReversed()) {
      if (!name.startsWith(`${this.#begun}-`)) continue;
      bytes += name.length + (value?.length ?? 0);
      if (bytes > MOST_BEGUN_BYTES) this.#clear(reply, name);
    }
    reply.setCookie(this.#begunName(state), sealed, {
      ...this.#attributes,
      sameSite: "lax",
      maxAge: BEGUN_S,
    });
  }

  clearBegun(reply: FastifyReply, state: string): void {
    this.#clear(reply, this.#begunName(state));
  }

  get #attributes() {
    return { path: this.#path, httpOnly: true, secure: this.#isSecure } as const;
  }

  #clear(reply: FastifyReply, name: string): void {
    reply.clearCookie(name, this.#attributes);
  }

  #part(index: number): string {
    return index === 0 ? this.#session : `${this.#session}.${index}`;
  }

  #begunName(state: string): string {
    return `${this.#begun}-${state.replaceAll(/\W/g, "").slice(0, 8)}`;
  }
}

/** Until when a sign-in that begins now may end. */
export const begunUntil = (): Date => new Date(Date.now() + BEGUN_S * 1_000);
