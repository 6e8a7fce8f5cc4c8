/** Events of the server. Only logs and metrics subscribe. */

export interface ServerEvents {
  /** A service failed at something. It continues. */
  trouble: { readonly doing: string; readonly error: unknown };
  /** The sweeper deleted a batch of runs. */
  swept: { readonly runs: number };
  /** A request to the url of a subscription ended. */
  deliveryAttempted: DeliveryAttempt;
  /** A request that pushed a run to an endpoint ended. */
  runPushed: PushedRun;
  /** A signal was sent to a run. */
  signalSent: { readonly workflow: string; readonly event: string };
  /** A request was answered. */
  requestAnswered: {
    readonly method: string;
    /** Its pattern; `none` if no route matched. */
    readonly route: string;
    readonly status: number;
    readonly durationMs: number;
  };
}

interface PushedRun {
  readonly url: string;
  readonly runId: string;
  readonly durationMs: number;
  /** The state of the run by the answer of the function, or why the function has not executed it. */
  readonly outcome: "ended" | "suspended" | "released" | "lost" | "refused" | "away" | "unknown";
  /** Undefined if it was executed. */
  readonly failure: string | undefined;
}

export interface DeliveryAttempt {
  readonly subscriptionId: string;
  readonly messageId: string;
  readonly attempt: number;
  readonly durationMs: number;
  readonly outcome: "delivered" | "retried" | "dead_lettered";
  /** Undefined: delivered. */
  readonly failure: string | undefined;
}
