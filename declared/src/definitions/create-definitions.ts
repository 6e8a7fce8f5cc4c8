import type { DefinitionTools } from "@oxbow/sdk";
import type { ServeOptions } from "@oxbow/sdk/runtime";
import type { JsonObject } from "../document/json.ts";
import type { NodeType } from "../nodes/node-type.ts";
import type { SecretSource } from "../nodes/secrets.ts";
import { DefinitionWorker } from "./definition-worker.ts";
import { definitionTools } from "./definition-tools.ts";

/** Options of `createDefinitions`. */
export interface DefinitionsOptions {
  /** Node types besides the built-in ones. */
  readonly nodes?: readonly NodeType[];
  readonly secrets?: SecretSource;
  /** Values of the environment, by the names of `$config`. */
  readonly config?: JsonObject;
  /** Serves the definitions whose settings name this pool. Default: `default`. */
  readonly pool?: string;
}

/** The definitions of a pool, with the code that their documents use. */
export interface ServableDefinitions {
  /** Checks documents against the node types. */
  readonly tools: DefinitionTools;
  /** Starts a worker that serves what is published, and follows what is published later. */
  serve(options?: ServeOptions): DefinitionWorker;
}

/**
 * Puts together the node types and secrets by which a worker runs definitions.
 *
 * @example
 * const definitions = createDefinitions({ nodes: [slackPost], secrets: vault });
 * const worker = definitions.serve({ url, concurrency: 20 });
 * process.once("SIGTERM", () => void worker.stop());
 * await worker.finished;
 */
export function createDefinitions(options: DefinitionsOptions = {}): ServableDefinitions {
  const { pool = "default", ...parts } = options;
  const { nodes = [] } = parts;
  return {
    tools: definitionTools({ nodes }),
    serve: (serveOptions = {}) => new DefinitionWorker({ ...parts, pool }, serveOptions),
  };
}
