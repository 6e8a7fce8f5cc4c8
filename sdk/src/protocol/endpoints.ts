/** Endpoints: urls of functions to which servers push runs. One method a SQL function. */

export interface Endpoint {
  readonly endpointId: string;
  /** A password in it is masked for all but administrators. */
  readonly url: string;
  /** How many runs one server pushes to it at a time. */
  readonly concurrency: number;
  /** Nothing is pushed to it. */
  readonly isPaused: boolean;
  /** When it was added the last time. The newest endpoint that serves a version gets its runs. */
  readonly createdAt: Date;
  /** The versions that it serves, by workflow, as the last check that succeeded found. */
  readonly serves: Readonly<Record<string, readonly number[]>>;
  /** How long one of its requests may take; null if it has not reported one. */
  readonly maxDurationMs: number | null;
  readonly sdkVersion: string | null;
  /** The last check that succeeded; null before the first. */
  readonly checkedAt: Date | null;
  /** Why the last check failed; null if it succeeded. */
  readonly lastError: string | null;
  /** The last check that failed; null if no check has failed. */
  readonly failedAt: Date | null;
}

export interface EndpointTransport {
  /** Adds it, or makes it the newest if it is known, and has it checked. @returns It, as the last check left it. */
  add(url: string, concurrency: number | undefined): Promise<Endpoint>;
  /** Newest first. */
  list(): Promise<Endpoint[]>;
  /** Rejects with EndpointNotFound. */
  get(id: string): Promise<Endpoint>;
  /** Has a server check it at once. @returns It, as the last check left it. */
  sync(id: string): Promise<Endpoint>;
  /** @returns False: it was paused. */
  pause(id: string): Promise<boolean>;
  /** @returns False: it was not paused. */
  resume(id: string): Promise<boolean>;
  /** @returns False: it doesn't exist. */
  remove(id: string): Promise<boolean>;
}

/** An endpoint as a server sees it that pushes to it, or checks it. */
export interface PushTarget {
  readonly endpointId: string;
  readonly url: string;
  readonly concurrency: number;
  /** How long one of its requests may take; null if it has not reported one. */
  readonly maxDurationMs: number | null;
  /** Versions by workflow. Of a target of pushes: those whose runs go there. Of one to check: those of the last check. */
  readonly serves: Readonly<Record<string, readonly number[]>>;
}

/** The result of a check. */
interface EndpointFindings {
  readonly serves: Readonly<Record<string, readonly number[]>>;
  readonly maxDurationMs: number | undefined;
  readonly sdkVersion: string | undefined;
}

/** The work of servers with endpoints. */
export interface PushTransport {
  /** Takes at most `max` endpoints whose check is due. No other server checks them within a minute. */
  toCheck(max: number): Promise<PushTarget[]>;
  /** @returns False: it was removed. */
  checked(endpointId: string, findings: EndpointFindings): Promise<boolean>;
  /** @returns False: it was removed. */
  failed(endpointId: string, error: string): Promise<boolean>;
  /** The endpoints to which runs go. A version is in one of them only. */
  toPush(): Promise<PushTarget[]>;
}
