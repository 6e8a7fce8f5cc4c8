/** All actions. */
import type { Action } from "../action.ts";
import type { ActionName } from "../model.ts";
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
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  DeleteQueue: deleteQueue,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: getQueueUrl,
  ListDeadLetterSourceQueues: listDeadLetterSourceQueues,
  ListQueueTags: listQueueTags,
  ListQueues: listQueues,
  PurgeQueue: purgeQueue,
  ReceiveMessage: receiveMessage,
  RemovePermission: removePermission,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  SetQueueAttributes: setQueueAttributes,
  TagQueue: tagQueue,
  UntagQueue: untagQueue,
};
