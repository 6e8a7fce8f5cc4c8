declare const continued: unique symbol;

/** What `ctx.continueAsNew` returns. The body returns it, and the run continues with its next generation. */
export interface ContinueAsNew {
  readonly [continued]: true;
}

/** Options of `ctx.continueAsNew`. */
export interface ContinueAsNewOptions {
  /** The workflow version that the next generation executes. Default: the version of this one. */
  readonly version?: number;
}
