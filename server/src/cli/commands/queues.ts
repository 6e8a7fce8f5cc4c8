/** `oxbow queues`: queues and their messages. */
import type {
  AlterQueueOptions,
  CreateQueueOptions,
  QueueSettings,
  WorkflowClient,
} from "@oxbow/sdk";
import { type Command, Option } from "commander";
import { defined } from "../../defined.ts";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { usageError } from "../exit-codes.ts";
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
        row: (queue) => ({
          QUEUE: queue.name,
          "NAME IN SQS": queue.sqsName,
          KIND: kindOf(queue),
          VISIBILITY: showDuration(queue.visibilityTimeoutMs),
          RECEIVES: queue.maxReceives,
          "DEAD LETTERS": queue.deadLetterQueue,
          RETENTION: showDuration(queue.retentionMs),
          CREATED: showTime(queue.createdAt),
        }),
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
          row: ({ name, messages, hasMore }) => ({
            QUEUE: name,
            "DEAD LETTERS": `${messages}${hasMore ? "+" : ""}`,
          }),
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
      const { deadLetterQueue: target, maxReceives } = settings ?? {};
      return printFacts({
        queue: name,
        "name in SQS": settings?.sqsName,
        kind: settings && kindOf(settings),
        visible: stats.visible,
        "in flight": stats.inFlight,
        delayed: stats.delayed,
        groups: stats.groups,
        "sent in all": stats.totalSent,
        oldest: showDuration(stats.oldestMessageAgeMs),
        "visibility timeout": showDuration(settings?.visibilityTimeoutMs),
        "dead letters":
          typeof target === "string"
            ? `to ${target} after ${count(maxReceives ?? 0, "receive")}`
            : "",
        retention: showDuration(settings?.retentionMs),
        delay: showDuration(settings?.delayMs),
        created: showTime(settings?.createdAt),
      });
    });
}

/** Those of a queue; false if an option like `--no-retention` was given. */
interface SettingsArguments extends ConnectionOptions {
  readonly visibilityTimeout?: string;
  readonly maxReceives?: number;
  readonly deadLetterQueue?: string | false;
  readonly retention?: string | false;
  readonly delay?: string;
  readonly deduplicationScope?: "queue" | "group";
}

/** @param shownDefault Of the visibility timeout. */
const withSettings = (command: Command, shownDefault = ""): Command =>
  command
    .option(
      "--visibility-timeout <duration>",
      `how long a received message is in flight${shownDefault}`,
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
    .addOption(
      new Option(
        "--deduplication-scope <scope>",
        "within what a deduplication id counts: the queue, or the message group",
      ).choices(["queue", "group"]),
    );

function addCreateCommand(queues: Command): void {
  const command = withConnection(queues.command("create"))
    .description("create a queue, unless it exists with the same settings")
    .argument("<queue>", "name of the queue")
    .option("--fifo", "deliver messages of a group in order");
  withSettings(command, " (default: 30s)").action(
    async (name: string, options: SettingsArguments & { readonly fifo?: boolean }) => {
      const { fifo } = options;
      // Without options like `--no-retention`, no setting is null.
      const settings = settingsOf(options) as CreateQueueOptions;
      const isNew = await withClient(options, (client) =>
        client.queues.create(name, { ...defined({ fifo }), ...settings }),
      );
      if (options.json === true) printJson({ queue: name, created: isNew });
      else printText(isNew ? `Created queue ${name}.` : `Queue ${name} already exists.`);
    },
  );
}

function addAlterCommand(queues: Command): void {
  const command = withConnection(queues.command("alter"))
    .description("change settings of a queue; those that are left out stay")
    .argument("<queue>", "name of the queue");
  withSettings(command)
    .option("--no-dead-letter-queue", "deliver messages any number of times")
    .option("--no-retention", "keep messages forever")
    .action(async (name: string, options: SettingsArguments) => {
      const changes = settingsOf(options);
      if (Object.keys(changes).length === 0) {
        throw usageError("Name the settings to change: see --help.");
      }
      const settings = await withClient(options, (client) => client.queues.alter(name, changes));
      if (options.json === true) printJson(settings);
      else printText(`Changed queue ${name}.`);
    });
}

function settingsOf(options: SettingsArguments): AlterQueueOptions {
  const { visibilityTimeout, maxReceives, deadLetterQueue, retention, delay } = options;
  return defined({
    visibilityTimeout,
    maxReceives: deadLetterQueue === false ? null : maxReceives,
    deadLetterQueue: deadLetterQueue === false ? null : deadLetterQueue,
    retention: retention === false ? null : retention,
    delay,
    deduplicationScope: options.deduplicationScope,
  });
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
    .action(async (queue: string, text: string, options: SendArguments) => {
      const message = await readJson(text, `the message for queue "${queue}"`);
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
  const options = defined({ delay, headers, deduplicationId });
  if (group !== undefined) {
    return client.queues.sendFifo(queue, message, { ...options, groupId: group });
  }
  if (deduplicationId === undefined) return client.queues.send(queue, message, options);
  throw usageError("--deduplication-id requires --group, because only FIFO queues deduplicate.");
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
      const { max, wait, visibilityTimeout, maxPerGroup, matching } = options;
      await withClient(options, async (client) => {
        const messages = await client.queues.receive(queue, {
          ...defined({ max, wait, visibilityTimeout, maxPerGroup }),
          ...(matching === undefined ? {} : { matching: parseJson(matching, "--matching") }),
        });
        printList(messages, options, {
          none: `Queue ${queue} has no visible message.`,
          row: ({ id, receipt, receiveCount, enqueuedAt, body }) => ({
            MESSAGE: id,
            RECEIPT: receipt,
            RECEIVES: receiveCount,
            SENT: showTime(enqueuedAt),
            BODY: showJson(body, 2_000),
          }),
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
          ...defined({ max, after }),
          ...(matching === undefined ? {} : { matching: parseJson(matching, "--matching") }),
        }),
      );
      printList(messages, options, {
        none: `No messages match in queue ${queue}.`,
        row: ({ id, state, groupId, receiveCount, enqueuedAt, body }) => ({
          MESSAGE: id,
          STATE: state,
          GROUP: groupId,
          RECEIVES: receiveCount,
          SENT: showTime(enqueuedAt),
          BODY: showJson(body, 2_000),
        }),
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
