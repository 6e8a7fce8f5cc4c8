/** Hints that there may be something to look at, for what looks from time to time in any case. */
export interface HintSubscription {
  /** Whether hints arrive at all. */
  readonly listening: boolean;
  close(): void;
}
