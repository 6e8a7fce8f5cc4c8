/**
 * The attempts of one call whose connections are lost: when the call is asked again, straight to the database and through a
 * server alike; which answers of a server count as lost: `http/connection.ts`. A call that may be repeated is asked until it
 * is answered; one that certainly did nothing, for a while.
 */
import { withLinkedSignal } from "../async/linked-signal.ts";
import { sleep } from "../async/sleep.ts";
import { pauseMs } from "../core/retry-policy.ts";
import { ConnectionFailed } from "../core/errors.ts";

/** How long a call that a user waits for retries to connect. */
const CONNECT_PATIENCE_MS = 15_000;

interface AttemptOptions {
  /** Where the call goes, in words. */
  readonly target: string;
  /** The call may be carried out twice without harm, and a background task waits for its answer. */
  readonly isRepeatable: boolean;
  /** Each ends the attempts: the connection closes, or the caller gives up. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

export interface Loss {
  readonly cause: unknown;
  /** The call may have been carried out. */
  readonly sent: boolean;
  /** If it was, another time does no harm. Default: false. */
  readonly isHarmless?: boolean;
  /** The other side rejects the caller, or was never reached: the next attempt would not differ. */
  readonly isFinal: boolean;
}

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #giveUpAt = performance.now() + CONNECT_PATIENCE_MS;
  #lost = 0;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the call may be asked again: after exponential backoff with full jitter above a floor.
   *
   * @throws ConnectionFailed if it must not.
   */
  async next({ cause, sent, isHarmless = !sent, isFinal }: Loss): Promise<void> {
    const { target, isRepeatable, signals } = this.#options;
    const isOver = signals.some((signal) => signal?.aborted === true);
    const mayRepeat = isRepeatable || (isHarmless && performance.now() < this.#giveUpAt);
    if (!mayRepeat || isFinal || isOver) throw new ConnectionFailed({ target, sent, cause });
    this.#lost += 1;
    const ms = pauseMs(this.#lost, Math.random());
    await withLinkedSignal(signals, (signal) => sleep(ms, signal));
  }
}
