/** What `oxbow dev` and the process that serves the workflows tell each other. */

export interface ServedWorkflow {
  readonly name: string;
  readonly version: number;
}

/** From the process. */
export type WorkerReport =
  /** Files that it has imported, those of packages left out. */
  | { readonly kind: "imported"; readonly files: readonly string[] }
  | { readonly kind: "serving"; readonly workflows: readonly ServedWorkflow[] }
  /** It can't serve, and ends. */
  | { readonly kind: "failed"; readonly reason: string };

/** To the process. */
export interface WorkerOrder {
  readonly kind: "stop";
}
