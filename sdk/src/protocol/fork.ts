/** The identity of a database, which may be a copy of another one. */

export interface DatabaseIncarnation {
  readonly id: string;
  readonly state: "live" | "sandbox" | "held";
}

export interface ForkTransport {
  /** Undefined if the database has no tables of Oxbow's. */
  incarnation(): Promise<DatabaseIncarnation | undefined>;
}
