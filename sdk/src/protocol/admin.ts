/** A rule about the stored data that doesn't hold. */
export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

export interface AdminTransport {
  /** Lists broken invariants; empty in a healthy database. */
  checkInvariants(): Promise<Violation[]>;
}
