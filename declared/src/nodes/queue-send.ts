import { createWorkflowClient, type Headers, type Queues } from "@oxbow/sdk";
import { NonRetriableError, type StepTransaction } from "@oxbow/sdk/runtime";
import { type Json, present } from "../document/json.ts";
import { QUEUE_SEND } from "./descriptors/queue-send.ts";
import { type NodeCall, type NodeType, nodeTypeOf } from "./node-type.ts";

interface Parameters {
  readonly queue: string;
  readonly message: Json;
  readonly headers?: Headers;
  readonly delay?: number | string;
  readonly group?: string;
  readonly deduplicationId?: string;
}

/** A client connects at its first call without a transaction. This one makes no such call. */
const NOWHERE = "postgres://localhost/never";

/** `queue.send@1`: sends a message in the transaction that journals the step. */
export function queueSend(): NodeType {
  let queues: Queues | undefined;
  return nodeTypeOf(QUEUE_SEND, {
    kind: "tx",
    tx: (tx, call) => {
      queues ??= createWorkflowClient({ url: NOWHERE }).queues;
      return send(queues, tx, call as NodeCall<Parameters>);
    },
  });
}

async function send(
  queues: Queues,
  tx: StepTransaction,
  { params: { queue, message, headers, delay, group, deduplicationId } }: NodeCall<Parameters>,
): Promise<{ readonly id: string }> {
  if (group === undefined && deduplicationId !== undefined) {
    throw new NonRetriableError(
      `A message for queue "${queue}" has a deduplicationId and no group: give both, for a FIFO queue.`,
    );
  }
  const options = present({ tx, headers, delay });
  const fifo = present({ deduplicationId });
  const id =
    group === undefined
      ? await queues.send(queue, message, options)
      : await queues.sendFifo(queue, message, { ...options, groupId: group, ...fifo });
  return { id };
}
