/** Messages between `oxbow dev` and the process that serves the workflows. */

interface ServedWorkflow {
  readonly name: string;
  readonly version: number;
}

/** The workflows and definitions of a process. */
export interface Served {
  readonly workflows: readonly ServedWorkflow[];
  /** Whose definitions it serves. */
  readonly pools: readonly string[];
}

/** From the process. */
export type WorkerReport =
  /** Imported files, without those of packages. */
  | { readonly kind: "imported"; readonly files: readonly string[] }
  | ({ readonly kind: "serving" } & Served)
  /** The process can't serve, and exits. */
  | { readonly kind: "failed"; readonly reason: string };

/** To the process. */
export interface WorkerOrder {
  readonly kind: "stop";
}
