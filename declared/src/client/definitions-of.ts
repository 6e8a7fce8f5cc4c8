import { checkOptions, type OptionNames, partsOf } from "@oxbow/sdk/internal/rooms";
import type { WorkflowClient } from "@oxbow/sdk";
import type { DefinitionTools } from "../protocol/definition-tools.ts";
import { declaredIn } from "../transport/declared.ts";
import { Definitions } from "./definitions.ts";

/** Options of `definitionsOf`. */
export interface DefinitionsOfOptions {
  /**
   * Checks and compares documents: `definitionTools()` of `@oxbow/declared`, or `tools` of `createDefinitions()`. Default:
   * the checker of the server, if the client connects to one.
   */
  readonly tools?: DefinitionTools | undefined;
}

const OPTIONS: OptionNames<DefinitionsOfOptions> = { tools: true };

/**
 * Returns the calls about definitions of a client. They share its connections, its codec and its actor.
 *
 * @throws InvalidArgument for an object that is no client
 * @example
 * const client = createWorkflowClient({ url });
 * const definitions = definitionsOf(client, { tools: definitionTools() });
 * await definitions.publish("page-on-major", 3);
 */
export function definitionsOf(
  client: WorkflowClient,
  options: DefinitionsOfOptions = {},
): Definitions {
  checkOptions(options, OPTIONS, "definitionsOf()");
  const { transport, codec, actor } = partsOf(client);
  return new Definitions({
    transport,
    calls: declaredIn(transport),
    codec,
    tools: options.tools,
    actor,
  });
}
