/** `oxbow queues`: queues and their messages. */
import type {
  AlterQueueOptions,
  CreateQueueOptions,
  QueueSettings,
  WorkflowClient,
} from "@oxbow/sdk";
import { type Command, Option } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { printFacts, printJson, printList, printText } from "../output.ts";
import { count, showDuration, showJson, showTime } from "../show.ts";
import { duration, gather, parseJson, parsePairs, readJson, wholeNumber } from "../values.ts";

export function addQueuesCommands(program: Command): void {
  const queues = program
    .command("queues")
    .description("create and inspect queues; send, receive and redrive messages");
  addListCommand(queues);
  addDeadLettersCommand(queues);
  addShowCommand(queues);
  addCreateCommand(queues);
  addAlterCommand(queues);
  addSendCommand(queues);
  addReceiveCommand(queues);
  addPeekCommand(queues);
  addEmptyingCommands(queues);
  addRedriveCommand(queues);
  addMoveCommand(queues);
}

function addListCommand(queues: Command): void {
  withConnection(queues.command("list"))
    .description("list queues and their settings, except those of workflows")
    .action(async (options: ConnectionOptions) => {
      const found = await withClient(options, (client) => client.queues.list());
      printList(found, options, {
        none: "No queues. Create one: oxbow queues create <name>",
        head: [
          "QUEUE",
          "NAME IN SQS",
          "KIND",
          "VISIBILITY",
          "RECEIVES",
          "DEAD LETTERS",
          "RETENTION",
          "CREATED",
        ],
        row: (queue) => [
          queue.name,
          queue.sqsName,
          kindOf(queue),
          showDuration(queue.visibilityTimeoutMs),
          queue.maxReceives,
          queue.deadLetterQueue,
          queue.retentionMs === null ? "" : showDuration(queue.retentionMs),
          showTime(queue.createdAt),
        ],
      });
    });
}

const kindOf = ({ fifo }: QueueSettings): string => (fifo ? "fifo" : "standard");

function addDeadLettersCommand(queues: Command): void {
  withConnection(queues.command("dead-letters"))
    .description("list the queues that hold dead letters of other queues, with how many")
    .option("--limit <number>", "list at most this many", wholeNumber("--limit"), 100)
    .option("--after <queue>", "only queues whose names come after this one")
    .action(
      async (options: ConnectionOptions & { readonly limit: number; readonly after?: string }) => {
        const found = await withClient(options, (client) =>
          client.queues.deadLetterQueues({ max: options.limit, after: options.after }),
        );
        printList(found, options, {
          none: "No queue holds dead letters.",
          head: ["QUEUE", "DEAD LETTERS"],
          row: ({ name, messages, hasMore }) => [name, `${messages}${hasMore ? "+" : ""}`],
        });
      },
    );
}

function addShowCommand(queues: Command): void {
  withConnection(queues.command("show"))
    .description("show the settings of a queue and the number of its messages")
    .argument("<queue>", "name of the queue")
    .action(async (name: string, options: ConnectionOptions) => {
      const { settings, stats } = await withClient(options, async (client) => ({
        stats: await client.queues.stats(name),
        settings: (await client.queues.list()).find((queue) => queue.name === name),
      }));
      if (options.json === true) return printJson({ ...settings, ...stats });
      return printFacts({
        queue: name,
        "name in SQS": settings?.sqsName,
        kind: settings === undefined ? "" : kindOf(settings),
        visible: stats.visible,
        "in flight": stats.inFlight,
        delayed: stats.delayed,
        groups: stats.groups,
        "sent in all": stats.totalSent,
        oldest: stats.oldestMessageAgeMs === null ? "" : showDuration(stats.oldestMessageAgeMs),
        "visibility timeout":
          settings === undefined ? "" : showDuration(settings.visibilityTimeoutMs),
        "dead letters":
          settings?.deadLetterQueue === null || settings === undefined
            ? ""
            : `to ${settings.deadLetterQueue} after ${count(settings.maxReceives ?? 0, "receive")}`,
        retention:
          settings === undefined || settings.retentionMs === null
            ? ""
            : showDuration(settings.retentionMs),
        delay: settings === undefined ? "" : showDuration(settings.delayMs),
        created: settings === undefined ? "" : showTime(settings.createdAt),
      });
    });
}

interface CreateArguments extends ConnectionOptions {
  readonly fifo?: boolean;
  readonly visibilityTimeout?: string;
  readonly maxReceives?: number;
  readonly deadLetterQueue?: string;
  readonly retention?: string;
  readonly delay?: string;
  readonly deduplicationScope?: "queue" | "group";
}

const deduplicationScope = (): Option =>
  new Option(
    "--deduplication-scope <scope>",
    "within what a deduplication id counts: the queue, or the message group",
  ).choices(["queue", "group"]);

function addCreateCommand(queues: Command): void {
  withConnection(queues.command("create"))
    .description("create a queue, unless it exists with the same settings")
    .argument("<queue>", "name of the queue")
    .option("--fifo", "deliver messages of a group in order")
    .option(
      "--visibility-timeout <duration>",
      "how long a received message is in flight (default: 30s)",
      duration("--visibility-timeout"),
    )
    .option(
      "--max-receives <number>",
      "deliveries before a message moves to the dead letter queue",
      wholeNumber("--max-receives"),
    )
    .option("--dead-letter-queue <queue>", "existing queue for dead letters")
    .option(
      "--retention <duration>",
      "drop messages that are not received within this time",
      duration("--retention"),
    )
    .option(
      "--delay <duration>",
      "how long messages stay invisible if their sender sets no delay",
      duration("--delay"),
    )
    .addOption(deduplicationScope())
    .action(async (name: string, options: CreateArguments) => {
      const isNew = await withClient(options, (client) =>
        client.queues.create(name, toCreateOptions(options)),
      );
      if (options.json === true) printJson({ queue: name, created: isNew });
      else printText(isNew ? `Created queue ${name}.` : `Queue ${name} already exists.`);
    });
}

function toCreateOptions(options: CreateArguments): CreateQueueOptions {
  const { fifo, visibilityTimeout, maxReceives, deadLetterQueue, retention, delay } = options;
  return {
    ...(fifo === undefined ? {} : { fifo }),
    ...(delay === undefined ? {} : { delay }),
    ...(options.deduplicationScope === undefined
      ? {}
      : { deduplicationScope: options.deduplicationScope }),
    ...(visibilityTimeout === undefined ? {} : { visibilityTimeout }),
    ...(maxReceives === undefined ? {} : { maxReceives }),
    ...(deadLetterQueue === undefined ? {} : { deadLetterQueue }),
    ...(retention === undefined ? {} : { retention }),
  };
}

interface AlterArguments extends ConnectionOptions {
  readonly visibilityTimeout?: string;
  readonly maxReceives?: number;
  /** False: --no-dead-letter-queue. */
  readonly deadLetterQueue?: string | false;
  readonly retention?: string | false;
  readonly delay?: string;
  readonly deduplicationScope?: "queue" | "group";
}

function addAlterCommand(queues: Command): void {
  withConnection(queues.command("alter"))
    .description("change settings of a queue; those that are left out stay")
    .argument("<queue>", "name of the queue")
    .option(
      "--visibility-timeout <duration>",
      "how long a received message is in flight",
      duration("--visibility-timeout"),
    )
    .option(
      "--max-receives <number>",
      "deliveries before a message moves to the dead letter queue",
      wholeNumber("--max-receives"),
    )
    .option("--dead-letter-queue <queue>", "existing queue for dead letters")
    .option("--no-dead-letter-queue", "deliver messages any number of times")
    .option(
      "--retention <duration>",
      "drop messages that are not received within this time",
      duration("--retention"),
    )
    .option("--no-retention", "keep messages forever")
    .option(
      "--delay <duration>",
      "how long messages stay invisible if their sender sets no delay",
      duration("--delay"),
    )
    .addOption(deduplicationScope())
    .action(async (name: string, options: AlterArguments) => {
      const settings = await withClient(options, (client) =>
        client.queues.alter(name, toAlterOptions(options)),
      );
      if (options.json === true) printJson(settings);
      else printText(`Changed queue ${name}.`);
    });
}

function toAlterOptions(options: AlterArguments): AlterQueueOptions {
  const { visibilityTimeout, maxReceives, deadLetterQueue, retention, delay } = options;
  const changes: AlterQueueOptions = {
    ...(visibilityTimeout === undefined ? {} : { visibilityTimeout }),
    ...(maxReceives === undefined ? {} : { maxReceives }),
    ...(deadLetterQueue === undefined
      ? {}
      : { deadLetterQueue: deadLetterQueue === false ? null : deadLetterQueue }),
    ...(deadLetterQueue === false ? { maxReceives: null } : {}),
    ...(options.deduplicationScope === undefined
      ? {}
      : { deduplicationScope: options.deduplicationScope }),
    ...(retention === undefined ? {} : { retention: retention === false ? null : retention }),
    ...(delay === undefined ? {} : { delay }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw new CommandFailure(EXIT.usage, "USAGE", "Name the settings to change: see --help.");
}

interface SendArguments extends ConnectionOptions {
  readonly delay?: string;
  readonly group?: string;
  readonly deduplicationId?: string;
  readonly header?: readonly string[];
}

function addSendCommand(queues: Command): void {
  withConnection(queues.command("send"))
    .description("send a message")
    .argument("<queue>", "name of the queue")
    .argument("<message>", "message as JSON; - reads it from standard input")
    .option("--delay <duration>", "delay the message", duration("--delay"))
    .option("--group <id>", "message group; required for FIFO queues")
    .option(
      "--deduplication-id <id>",
      "FIFO queues drop a message with the same id within 5 minutes",
    )
    .option(
      "--header <key=value>",
      "add a header; key:=json for values that are not strings; repeatable",
      gather,
    )
    .action(async (queue: string, given: string, options: SendArguments) => {
      const message = await readJson(given, `the message for queue "${queue}"`);
      const id = await withClient(options, (client) => send(client, queue, message, options));
      if (options.json === true) printJson({ queue, id });
      else printText(`Sent message ${id} to ${queue}.`);
    });
}

function send(
  client: WorkflowClient,
  queue: string,
  message: unknown,
  { delay, group, deduplicationId, header }: SendArguments,
): Promise<string> {
  const headers = parsePairs(header, "--header");
  const options = {
    ...(delay === undefined ? {} : { delay }),
    ...(headers === undefined ? {} : { headers }),
  };
  if (group === undefined && deduplicationId === undefined)
    return client.queues.send(queue, message, options);
  if (group === undefined) {
    throw new CommandFailure(
      EXIT.usage,
      "USAGE",
      "--deduplication-id requires --group, because only FIFO queues deduplicate.",
    );
  }
  return client.queues.sendFifo(queue, message, {
    ...options,
    groupId: group,
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
  });
}

interface ReceiveArguments extends ConnectionOptions {
  readonly max: number;
  readonly wait?: string;
  readonly visibilityTimeout?: string;
  readonly matching?: string;
  readonly maxPerGroup?: number;
  readonly delete?: boolean;
}

function addReceiveCommand(queues: Command): void {
  withConnection(queues.command("receive"))
    .description("receive messages; without --delete they become visible again")
    .argument("<queue>", "name of the queue")
    .option("--max <number>", "at most this many", wholeNumber("--max"), 1)
    .option(
      "--wait <duration>",
      "longest wait for the first message (default: no wait)",
      duration("--wait"),
    )
    .option(
      "--visibility-timeout <duration>",
      "how long the messages are in flight (default: that of the queue)",
      duration("--visibility-timeout"),
    )
    .option("--matching <json>", "only messages that contain this JSON")
    .option(
      "--max-per-group <number>",
      "at most this many of one message group, 1 to 10 (default: 1)",
      wholeNumber("--max-per-group"),
    )
    .option("--delete", "delete the messages after printing them")
    .action(async (queue: string, options: ReceiveArguments) => {
      const { max, wait, visibilityTimeout } = options;
      await withClient(options, async (client) => {
        const messages = await client.queues.receive(queue, {
          max,
          ...(wait === undefined ? {} : { wait }),
          ...(options.maxPerGroup === undefined ? {} : { maxPerGroup: options.maxPerGroup }),
          ...(visibilityTimeout === undefined ? {} : { visibilityTimeout }),
          ...(options.matching === undefined
            ? {}
            : { matching: parseJson(options.matching, "--matching") }),
        });
        printList(messages, options, {
          none: `Queue ${queue} has no visible message.`,
          head: ["MESSAGE", "RECEIPT", "RECEIVES", "SENT", "BODY"],
          row: ({ id, receipt, receiveCount, enqueuedAt, body }) => [
            id,
            receipt,
            receiveCount,
            showTime(enqueuedAt),
            showJson(body, 2_000),
          ],
        });
        if (options.delete === true) await client.queues.deleteBatch(queue, messages);
      });
    });
}

interface PeekArguments extends ConnectionOptions {
  readonly max: number;
  readonly after?: string;
  readonly matching?: string;
}

function addPeekCommand(queues: Command): void {
  withConnection(queues.command("peek"))
    .description("show messages without receiving them, oldest first")
    .argument("<queue>", "name of the queue")
    .option("--max <number>", "show at most this many", wholeNumber("--max"), 10)
    .option("--after <message>", "continue after this message id")
    .option("--matching <json>", "only messages that contain this JSON")
    .action(async (queue: string, { max, after, matching, ...options }: PeekArguments) => {
      const messages = await withClient(options, (client) =>
        client.queues.peek(queue, {
          max,
          ...(after === undefined ? {} : { after }),
          ...(matching === undefined ? {} : { matching: parseJson(matching, "--matching") }),
        }),
      );
      printList(messages, options, {
        none: `No messages match in queue ${queue}.`,
        head: ["MESSAGE", "STATE", "GROUP", "RECEIVES", "SENT", "BODY"],
        row: ({ id, state, groupId, receiveCount, enqueuedAt, body }) => [
          id,
          state,
          groupId ?? "",
          receiveCount,
          showTime(enqueuedAt),
          showJson(body, 2_000),
        ],
      });
    });
}

function addEmptyingCommands(queues: Command): void {
  withConnection(queues.command("purge"))
    .description("delete all messages of a queue")
    .argument("<queue>", "name of the queue")
    .option("--yes", "delete without asking")
    .action(async (queue: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      await withClient(options, async (client) => {
        await confirm(`Delete ${await messagesOf(client, queue)}`, options.yes);
        const purged = await client.queues.purge(queue);
        if (options.json === true) printJson({ queue, deleted: purged });
        else printText(`Deleted ${count(purged, "message")} of ${queue}.`);
      });
    });
  withConnection(queues.command("delete"))
    .description("drop a queue with all its messages")
    .argument("<queue>", "name of the queue")
    .option("--yes", "delete without asking")
    .action(async (queue: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      await withClient(options, async (client) => {
        await confirm(
          `Drop queue "${queue}", with ${await messagesOf(client, queue)}`,
          options.yes,
        );
        await client.queues.drop(queue);
        if (options.json === true) printJson({ queue, deleted: true });
        else printText(`Dropped queue ${queue}.`);
      });
    });
}

async function messagesOf(client: WorkflowClient, queue: string): Promise<string> {
  const { visible, inFlight, delayed } = await client.queues.stats(queue);
  return `${count(visible + inFlight + delayed, "message")} of queue "${queue}"`;
}

function addRedriveCommand(queues: Command): void {
  withConnection(queues.command("redrive"))
    .description("send dead letters back to their queues, oldest first")
    .argument("<dead-letter-queue>", "name of the queue")
    .argument("[messages...]", "ids of dead letters (default: all)")
    .option("--max <number>", "at most this many", wholeNumber("--max"), 1_000)
    .action(
      async (
        queue: string,
        ids: string[],
        options: ConnectionOptions & { readonly max: number },
      ) => {
        const sent = await withClient(options, (client) =>
          client.queues.redrive(queue, {
            max: options.max,
            ...(ids.length === 0 ? {} : { ids }),
          }),
        );
        if (options.json === true) printJson({ queue, redriven: sent });
        else printText(`Sent ${count(sent, "dead letter")} back.`);
      },
    );
}

function addMoveCommand(queues: Command): void {
  withConnection(queues.command("move"))
    .description(
      "move messages that are not in flight to another queue of the same kind, oldest first",
    )
    .argument("<source>", "name of the queue that has the messages")
    .argument("<target>", "name of the queue that gets them")
    .option("--max <number>", "at most this many, up to 10000", wholeNumber("--max"), 1_000)
    .action(
      async (
        source: string,
        target: string,
        { max, ...options }: ConnectionOptions & { readonly max: number },
      ) => {
        const moved = await withClient(options, (client) =>
          client.queues.moveMessages(source, target, { max }),
        );
        if (options.json === true) printJson({ source, target, moved });
        else printText(`Moved ${count(moved, "message")} from ${source} to ${target}.`);
      },
    );
}
