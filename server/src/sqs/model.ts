/** The parameters of each action: their types, and which are required. Limits are checked by the actions. */
import { type Static, type TObject, Type } from "typebox";
import { AttributeValue } from "./message-attributes.ts";

const Text = Type.String();
const Whole = Type.Integer();
const Texts = Type.Array(Text);
const Values = Type.Record(Text, Text);
const Attributes = Type.Record(Text, AttributeValue);

const OneQueue = { QueueUrl: Text };
/** One message, sent by itself or as an entry of a batch. */
const Message = {
  MessageBody: Text,
  DelaySeconds: Type.Optional(Whole),
  MessageAttributes: Type.Optional(Attributes),
  MessageSystemAttributes: Type.Optional(Attributes),
  MessageDeduplicationId: Type.Optional(Text),
  MessageGroupId: Type.Optional(Text),
};

export const PARAMETERS = {
  AddPermission: Type.Object(OneQueue),
  CancelMessageMoveTask: Type.Object({ TaskHandle: Text }),
  ChangeMessageVisibility: Type.Object({
    ...OneQueue,
    ReceiptHandle: Text,
    VisibilityTimeout: Whole,
  }),
  ChangeMessageVisibilityBatch: Type.Object({
    ...OneQueue,
    Entries: Type.Array(
      Type.Object({ Id: Text, ReceiptHandle: Text, VisibilityTimeout: Type.Optional(Whole) }),
    ),
  }),
  CreateQueue: Type.Object({
    QueueName: Text,
    Attributes: Type.Optional(Values),
    tags: Type.Optional(Values),
  }),
  DeleteMessage: Type.Object({ ...OneQueue, ReceiptHandle: Text }),
  DeleteMessageBatch: Type.Object({
    ...OneQueue,
    Entries: Type.Array(Type.Object({ Id: Text, ReceiptHandle: Text })),
  }),
  DeleteQueue: Type.Object(OneQueue),
  GetQueueAttributes: Type.Object({ ...OneQueue, AttributeNames: Type.Optional(Texts) }),
  GetQueueUrl: Type.Object({ QueueName: Text, QueueOwnerAWSAccountId: Type.Optional(Text) }),
  ListDeadLetterSourceQueues: Type.Object({
    ...OneQueue,
    MaxResults: Type.Optional(Whole),
    NextToken: Type.Optional(Text),
  }),
  ListMessageMoveTasks: Type.Object({ SourceArn: Text, MaxResults: Type.Optional(Whole) }),
  ListQueueTags: Type.Object(OneQueue),
  ListQueues: Type.Object({
    MaxResults: Type.Optional(Whole),
    NextToken: Type.Optional(Text),
    QueueNamePrefix: Type.Optional(Text),
  }),
  PurgeQueue: Type.Object(OneQueue),
  ReceiveMessage: Type.Object({
    ...OneQueue,
    AttributeNames: Type.Optional(Texts),
    MaxNumberOfMessages: Type.Optional(Whole),
    MessageAttributeNames: Type.Optional(Texts),
    MessageSystemAttributeNames: Type.Optional(Texts),
    ReceiveRequestAttemptId: Type.Optional(Text),
    VisibilityTimeout: Type.Optional(Whole),
    WaitTimeSeconds: Type.Optional(Whole),
  }),
  RemovePermission: Type.Object(OneQueue),
  SendMessage: Type.Object({ ...OneQueue, ...Message }),
  SendMessageBatch: Type.Object({
    ...OneQueue,
    Entries: Type.Array(Type.Object({ Id: Text, ...Message })),
  }),
  SetQueueAttributes: Type.Object({ ...OneQueue, Attributes: Values }),
  StartMessageMoveTask: Type.Object({
    SourceArn: Text,
    DestinationArn: Type.Optional(Text),
    MaxNumberOfMessagesPerSecond: Type.Optional(Whole),
  }),
  TagQueue: Type.Object({ ...OneQueue, Tags: Values }),
  UntagQueue: Type.Object({ ...OneQueue, TagKeys: Texts }),
} satisfies Readonly<Record<string, TObject>>;

export type ActionName = keyof typeof PARAMETERS;
export type Input<Name extends ActionName> = Static<(typeof PARAMETERS)[Name]>;
export type GivenMessage = Omit<Input<"SendMessage">, "QueueUrl">;
