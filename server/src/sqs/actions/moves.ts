/** Tasks that move the messages of dead-letter queues. */
import { QueueNotFound } from "@oxbow/sdk";
import type { Action, SqsContext } from "../action.ts";
import { checkRange, invalid, invalidValue, SqsError } from "../errors.ts";
import { arnOf, nameInArn, parseTaskHandle, toTaskHandle } from "../names.ts";
import type { SqsMove, SqsQueue } from "../queues.ts";

const MOST_RESULTS = 10;
const HIGHEST_RATE = 500;

export const startMessageMoveTask: Action<"StartMessageMoveTask"> = {
  scope: "admin",
  isAudited: true,
  handle: async (input, context) => {
    const { SourceArn, DestinationArn = "", MaxNumberOfMessagesPerSecond: rate } = input;
    checkRange(rate, "MaxNumberOfMessagesPerSecond", 1, HIGHEST_RATE);
    const { sqsName: source } = await queueOf(SourceArn, "SourceArn", context);
    const target =
      DestinationArn === ""
        ? undefined
        : await queueOf(DestinationArn, "DestinationArn", context).then(({ sqsName }) => sqsName);
    const taskId = await context.calls.startMove(source, target, rate);
    if (taskId !== null) return { TaskHandle: toTaskHandle({ source, taskId }) };
    throw invalid(
      "There is already a task running. Only one active task is allowed for a source queue at a given time.",
    );
  },
};

export const listMessageMoveTasks: Action<"ListMessageMoveTasks"> = {
  scope: "read",
  handle: async ({ SourceArn, MaxResults: max = 1 }, context) => {
    checkRange(max, "MaxResults", 1, MOST_RESULTS);
    const { sqsName } = await queueOf(SourceArn, "SourceArn", context);
    const moves = await context.calls.listMoves(sqsName, max);
    return { Results: moves.map((move) => shown(move, context)) };
  },
};

export const cancelMessageMoveTask: Action<"CancelMessageMoveTask"> = {
  scope: "admin",
  isAudited: true,
  handle: async ({ TaskHandle }, { calls }) => {
    const task = parseTaskHandle(TaskHandle);
    if (task === undefined) throw invalid("Value for parameter TaskHandle is invalid.");
    const { sqsName } = await found(calls.find(task.source), "SourceArn");
    const moved = await calls.cancelMove(sqsName, task.taskId);
    if (moved !== undefined) return { ApproximateNumberOfMessagesMoved: moved };
    throw new SqsError("ResourceNotFoundException", "Task does not exist, or is not running.");
  },
};

function queueOf(arn: string, parameter: string, { calls }: SqsContext): Promise<SqsQueue> {
  const name = nameInArn(arn);
  if (name === undefined) {
    throw invalidValue(arn.slice(0, 200), parameter, "Must be the ARN of a queue");
  }
  return found(calls.find(name), parameter);
}

async function found(finding: Promise<SqsQueue>, parameter: string): Promise<SqsQueue> {
  try {
    return await finding;
  } catch (error) {
    if (!(error instanceof QueueNotFound)) throw error;
    throw new SqsError(
      "ResourceNotFoundException",
      `The resource that you specified for the ${parameter} parameter doesn't exist.`,
    );
  }
}

/** Only a running task has a handle, with which it can be cancelled. */
const shown = (move: SqsMove, { addresses }: SqsContext): object => ({
  ...(move.status === "running" ? { TaskHandle: toTaskHandle(move) } : {}),
  Status: move.status.toUpperCase(),
  SourceArn: arnOf(move.source, addresses),
  ...(move.target === null ? {} : { DestinationArn: arnOf(move.target, addresses) }),
  ...(move.maxPerSecond === null ? {} : { MaxNumberOfMessagesPerSecond: move.maxPerSecond }),
  ApproximateNumberOfMessagesMoved: move.moved,
  ApproximateNumberOfMessagesToMove: move.toMove,
  ...(move.failure === null ? {} : { FailureReason: move.failure }),
  StartedTimestamp: move.startedAt.getTime(),
});
