/** An action as one value: who may use it, and its handler. */
import type {
  MessageDelivery,
  ReceiveMessagesRequest,
  Transport,
} from "@oxbow/sdk/internal/server";
import type { Scope } from "../http/scopes.ts";
import type { ActionName, Input } from "./model.ts";
import { type Addresses, nameInUrl } from "./names.ts";
import type { KnownQueues, SqsCalls, SqsQueue } from "./queues.ts";

/** The collaborators of actions. */
export interface SqsContext {
  readonly queues: Transport["queues"];
  readonly calls: SqsCalls;
  readonly known: KnownQueues;
  readonly addresses: Addresses;
  /** Name of the caller. */
  readonly sender: string;
  /** Receives as long as the client is there. */
  readonly receive: (request: Omit<ReceiveMessagesRequest, "signal">) => Promise<MessageDelivery[]>;
}

export interface Action<Name extends ActionName> {
  readonly scope: Scope;
  /** Changes queues themselves, in the name of the caller, whom the audit records. */
  readonly isAudited?: true;
  readonly handle: (input: Input<Name>, context: SqsContext) => Promise<object>;
}

/** Does something with the queue of a url. */
export const withQueue = <Answer>(
  { QueueUrl }: { readonly QueueUrl: string },
  { known }: SqsContext,
  use: (queue: SqsQueue) => Promise<Answer>,
): Promise<Answer> => known.with(nameInUrl(QueueUrl), use);
