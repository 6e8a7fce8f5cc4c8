/** The audit: who changed what by hand. */

/**
 * How an actor is known: `token` of a server; `user`, signed in by OpenID Connect; `delegate`, named by a token or a role
 * that may act for others; `role` of the database.
 */
export type ActorKind = "token" | "user" | "delegate" | "role";

/** The caller of a server, on whose behalf it calls the database. */
export interface Actor {
  /** Null if unknown; the audit then names the role of the server. */
  readonly actor: string | null;
  readonly kind: Exclude<ActorKind, "role"> | "anyone";
  /** Name of the token, if a delegate acts. */
  readonly token?: string | undefined;
  /** Address of the client. */
  readonly address?: string | undefined;
}

/** An entry of the audit: one object that an actor changed by hand. */
export interface AuditEntry {
  readonly id: string;
  readonly actedAt: Date;
  readonly actorKind: ActorKind;
  readonly actor: string;
  /** Name of the token, if it has named a delegate. */
  readonly token: string | null;
  /** The role that logged in to the database, which SET ROLE does not change. */
  readonly role: string;
  /** Address of the client; null over a local socket. */
  readonly address: string | null;
  /** `object.verb`, for example `run.cancel`. */
  readonly action: string;
  readonly subjectType: string;
  /** Id or name of the object. */
  readonly subject: string;
  /** `unchanged`: there was nothing to change. */
  readonly outcome: "changed" | "unchanged";
  /** Facts of the action by name, such as the reason. */
  readonly detail: unknown;
}

/** Selects entries with exactly these values. */
interface AuditConditions {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly subject?: string | undefined;
  /** From this instant, as ISO 8601. */
  readonly after?: string | undefined;
  /** Until before this instant, as ISO 8601. */
  readonly before?: string | undefined;
}

interface AuditPageRequest {
  /** Cursor of the entry that the page before ended with. */
  readonly cursor: string | undefined;
  readonly maxEntries: number;
}

export interface AuditListing extends AuditEntry {
  /** Its place in the list. */
  readonly cursor: string;
}

export interface AuditTransport {
  /** A page of entries, newest first. */
  list(conditions: AuditConditions, page: AuditPageRequest): Promise<AuditListing[]>;
}

/** Limits how long entries are kept. */
export interface AuditRetentionTransport {
  /** Deletes a batch of entries that are older. Returns how many it deleted. */
  sweep(retentionDays: number, maxEntries: number): Promise<number>;
}
