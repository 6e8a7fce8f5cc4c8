/** Why no server of a url can be used. Treated by its code, as failures of statements are. */
import type { SessionAttributes } from "./server-list.ts";

const WANTED: Readonly<Record<SessionAttributes, string>> = {
  any: "can be reached",
  "read-write": "accepts writes",
  "read-only": "is read-only",
  primary: "is the primary",
  standby: "is a standby",
  "prefer-standby": "can be reached",
};

/** Clients that are asked to connect where they must not. */
const REJECTED = "08004";
/** Could not connect. */
const UNREACHABLE = "08001";

/** A server that answers, and isn't what the url wants. */
export class WrongServer extends Error {
  override readonly name = "WrongServer";
  readonly code = REJECTED;
}

export class NoServerFits extends Error {
  override readonly name = "NoServerFits";
  /** That of the servers if all failed alike, as for a wrong password; else one that may pass. */
  readonly code: string;

  constructor(
    wanted: SessionAttributes,
    servers: readonly { readonly name: string; readonly reason: unknown }[],
  ) {
    const texts = servers.map(({ name, reason }) => `${name}: ${messageOf(reason)}`);
    super(
      `no server ${WANTED[wanted]}, as target_session_attrs=${wanted} asks (${texts.join("; ")})`,
      { cause: servers[0]?.reason },
    );
    const [code, ...others] = new Set(servers.map(({ reason }) => codeOf(reason)));
    this.code = others.length === 0 ? (code ?? UNREACHABLE) : UNREACHABLE;
  }
}

/** The driver's error for a name with several addresses has no text. */
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || (codeOf(error) ?? error.name) : String(error);

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}
