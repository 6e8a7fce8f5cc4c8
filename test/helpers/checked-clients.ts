/** Clients of tests whose calls about definitions have a checker. */
import {
  type Definitions,
  type DefinitionTools,
  definitionsOf as of,
} from "@oxbow/declared/client";
import { type ClientOptions, createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";

const toolsOf = new WeakMap<WorkflowClient, DefinitionTools>();

/** Creates a client whose definitions these tools check. */
export function createCheckedClient({
  tools,
  ...options
}: ClientOptions & { readonly tools?: DefinitionTools | undefined }): WorkflowClient {
  const client = createWorkflowClient(options);
  if (tools !== undefined) toolsOf.set(client, tools);
  return client;
}

/** The calls about definitions of a client, with the tools that it was created with, if any. */
export const definitionsOf = (client: WorkflowClient): Definitions =>
  of(client, { tools: toolsOf.get(client) });
