import type { DefinitionTools } from "../protocol/definition-tools.ts";
import { createWorker, type ServeOptions, type Worker } from "@oxbow/sdk/runtime";
import type { TestableDefinitions } from "@oxbow/sdk/testing";
import { definitionsOf } from "../client/definitions-of.ts";
import { type JsonObject, present } from "../document/json.ts";
import { descriptorsOf } from "../nodes/descriptors-of.ts";
import type { NodeType } from "../nodes/node-type.ts";
import type { SecretSource } from "../nodes/secrets.ts";
import { listingOf } from "../resources/resource-listing.ts";
import type { DefinedResource } from "../resources/resource-type.ts";
import type { TriggerType } from "../triggers/trigger-type.ts";
import { declaredIn } from "../transport/declared.ts";
import { TriggerWorker } from "../triggers/trigger-worker.ts";
import { registerTypes } from "./catalog-registration.ts";
import { DefinitionSource } from "./definition-source.ts";
import { definitionTools } from "./definition-tools.ts";

/** Options of `createDefinitions`. */
export interface DefinitionsOptions {
  /** Node types besides the built-in ones. */
  readonly nodes?: readonly NodeType[];
  /** Trigger types by which documents name events. A trigger may name a topic without one. */
  readonly triggers?: readonly TriggerType[];
  /** Types of resources that documents may name. Workers register them, so that checkers and editors know their schemas. */
  readonly resources?: readonly DefinedResource[];
  readonly secrets?: SecretSource;
  /** Values of the environment, by the names of `$config`, unless the database has a value of the name. */
  readonly config?: JsonObject;
  /** Serves the definitions of this pool. Default: `default`. */
  readonly pool?: string;
}

/** The definitions of a pool, with the code that their documents use: a source for `createWorker({ sources })`. */
export interface ServableDefinitions extends TestableDefinitions {
  /** Checks documents against the node types. */
  readonly tools: DefinitionTools;
  /** Starts a worker that serves nothing else. It serves what is published, and what is published later. */
  serve(options?: ServeOptions): Worker;
}

/**
 * Puts together the node types and secrets by which a worker runs definitions.
 *
 * @example
 * const definitions = createDefinitions({ nodes: [slackPost], secrets: vault });
 * const worker = createWorker({ url, workflows: [shipOrder], sources: [definitions] });
 * process.once("SIGTERM", () => void worker.stop());
 * await worker.finished;
 */
export function createDefinitions(options: DefinitionsOptions = {}): ServableDefinitions {
  const { pool = "default", triggers = [], resources, ...parts } = options;
  const { nodes = [], config = {} } = parts;
  const source = new DefinitionSource({ ...parts, pool });
  const nodeTypes = descriptorsOf(nodes);
  const resourceTypes = (resources ?? []).map(({ type, title, schema, list, table }) => ({
    name: type,
    title,
    schema: JSON.stringify(schema),
    table,
    isListed: list !== undefined,
  }));
  const definitions: ServableDefinitions = {
    pools: source.pools,
    tools: definitionTools({ nodes, triggers, config, ...present({ resources }) }),
    resolve: (name, version, connection, hasDecided) =>
      source.resolve(name, version, connection, hasDecided),
    workflows: (resources ?? []).flatMap((resource) => listingOf(resource) ?? []),
    accompany: async ({ transport, signal, onTrouble }) => {
      const calls = declaredIn(transport);
      const registering = registerTypes(
        { calls, pool, nodeTypes, resourceTypes, onTrouble },
        signal,
      );
      const triggered = new TriggerWorker({
        triggers: calls.triggers,
        pool,
        types: triggers,
        resources: resources ?? [],
        onTrouble,
      });
      try {
        await triggered.run(signal);
      } catch (error) {
        onTrouble("evaluating triggers", error);
      }
      await registering;
    },
    startTest: async (client, document, input, testOptions) => {
      const calls = definitionsOf(client, { tools: definitions.tools });
      const name = String(document["name"]);
      if ((await calls.get(name)) === undefined) await calls.create(document);
      return calls.test(name, input, { ...testOptions, document });
    },
    serve: (serveOptions = {}) =>
      createWorker({ ...serveOptions, workflows: [], sources: [definitions] }),
  };
  return definitions;
}
