/** All actions. */
import type { Action } from "../action.ts";
import type { ActionName } from "../model.ts";
import { cancelMessageMoveTask, listMessageMoveTasks, startMessageMoveTask } from "./moves.ts";
import {
  addPermission,
  createQueue,
  deleteQueue,
  getQueueAttributes,
  getQueueUrl,
  listDeadLetterSourceQueues,
  listQueues,
  listQueueTags,
  purgeQueue,
  removePermission,
  setQueueAttributes,
  tagQueue,
  untagQueue,
} from "./queues.ts";
import { receiveMessage } from "./receive.ts";
import { sendMessage, sendMessageBatch } from "./send.ts";
import {
  changeMessageVisibility,
  changeMessageVisibilityBatch,
  deleteMessage,
  deleteMessageBatch,
} from "./settle.ts";

export const ACTIONS: { readonly [Name in ActionName]: Action<Name> } = {
  AddPermission: addPermission,
  CancelMessageMoveTask: cancelMessageMoveTask,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  DeleteQueue: deleteQueue,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: getQueueUrl,
  ListDeadLetterSourceQueues: listDeadLetterSourceQueues,
  ListMessageMoveTasks: listMessageMoveTasks,
  ListQueueTags: listQueueTags,
  ListQueues: listQueues,
  PurgeQueue: purgeQueue,
  ReceiveMessage: receiveMessage,
  RemovePermission: removePermission,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  SetQueueAttributes: setQueueAttributes,
  StartMessageMoveTask: startMessageMoveTask,
  TagQueue: tagQueue,
  UntagQueue: untagQueue,
};
