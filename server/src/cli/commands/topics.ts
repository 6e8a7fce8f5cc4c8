/** `oxbow topics`: publish, subscriptions, and dead letters. */
import { maskedUrl } from "@oxbow/declared/net";
import type { SubscriptionTo } from "@oxbow/sdk";
import type { Command } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { type CommandFailure, notFound, usageError } from "../exit-codes.ts";
import { printJson, printList, printText } from "../output.ts";
import { count, showJson, showTime } from "../show.ts";
import { addDeliveriesCommands } from "./deliveries.ts";
import { gather, parseJson, parseObject, parsePairs, readJson, wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

export function addTopicsCommands(program: Command): void {
  const topics = program
    .command("topics")
    .description("publish messages, and manage subscriptions and dead letters");
  addListCommand(topics);
  addSubscribeCommand(topics);
  addUnsubscribeCommand(topics);
  addEnableCommand(topics);
  addPublishCommand(topics);
  addTargetsCommand(topics);
  addDeliveriesCommands(topics);
  addLettersCommand(topics);
  addRedriveCommand(topics);
  addDeleteLettersCommand(topics);
}

function addListCommand(topics: Command): void {
  withConnection(topics.command("list"))
    .description("list subscriptions")
    .argument("[pattern]", "only subscriptions with exactly this pattern")
    .action(async (pattern: string | undefined, options: ConnectionOptions) => {
      const listed = await withClient(options, (client) => client.topics.list(pattern));
      const found = listed.map((one) => ({ ...one, target: maskedUrl(one.target) }));
      printList(found, options, {
        none: "No subscriptions.",
        row: ({ id, pattern: words, targetType, target, filter, options: more, ...state }) => ({
          ID: id,
          PATTERN: words,
          TO: targetType,
          TARGET: target,
          CREATED: showTime(state.createdAt),
          DISABLED:
            state.disabledAt === null
              ? ""
              : `${showTime(state.disabledAt)}: ${state.disabledReason ?? ""}`,
          FILTER: filter === null ? "" : showJson(filter),
          OPTIONS: more === null ? "" : showJson(more),
        }),
      });
    });
}

interface SubscribeArguments extends ConnectionOptions {
  readonly queue?: string;
  readonly workflow?: string;
  readonly http?: string;
  readonly filter?: string;
  readonly options?: string;
}

function addSubscribeCommand(topics: Command): void {
  withConnection(topics.command("subscribe"))
    .description("send messages of matching topics to a queue, a workflow or a url")
    .argument("<pattern>", "words separated by dots; * matches one word, # any number")
    .option("--queue <name>", "send messages to this queue")
    .option("--workflow <name>", "start a run of this workflow for each message")
    .option("--http <url>", "post each message to this url")
    .option("--filter <json>", "only messages that contain this JSON")
    .option(
      "--options <json>",
      "options of the target, a JSON object: see subscribe() in the SQL reference",
    )
    .action(async (pattern: string, options: SubscribeArguments) => {
      const { filter, options: more } = options;
      const id = await withClient(options, (client) =>
        client.topics.subscribe(pattern, {
          ...targetOf(options),
          ...(filter === undefined ? {} : { filter: parseJson(filter, "--filter") }),
          ...(more === undefined ? {} : { options: parseObject(more, "--options") }),
        }),
      );
      if (options.json === true) printJson({ id });
      else printText(`Subscribed as ${id}.`);
    });
}

function targetOf({ queue, workflow, http }: SubscribeArguments): SubscriptionTo {
  const targets = [
    ...(queue === undefined ? [] : [{ queue }]),
    ...(workflow === undefined ? [] : [{ workflow }]),
    ...(http === undefined ? [] : [{ http }]),
  ];
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw usageError("Give one target: --queue <name>, --workflow <name> or --http <url>.");
}

function addUnsubscribeCommand(topics: Command): void {
  withConnection(topics.command("unsubscribe"))
    .description("end a subscription")
    .argument("<id>", "id of the subscription")
    .action(async (id: string, options: ConnectionOptions) => {
      const isGone = await withClient(options, (client) => client.topics.unsubscribe(id));
      if (!isGone) throw noSubscription(id);
      if (options.json === true) printJson({ id, unsubscribed: true });
      else printText(`Ended subscription ${id}.`);
    });
}

function addEnableCommand(topics: Command): void {
  withConnection(topics.command("enable"))
    .description("resume deliveries to a url that was disabled after failing for too long")
    .argument("<id>", "id of the subscription")
    .action(async (id: string, options: ConnectionOptions) => {
      const isThere = await withClient(options, (client) => client.topics.enable(id));
      if (!isThere) throw noSubscription(id);
      if (options.json === true) printJson({ id, enabled: true });
      else printText(`Delivering to subscription ${id}.`);
    });
}

const noSubscription = (id: string): CommandFailure =>
  notFound(
    "SUBSCRIPTION_NOT_FOUND",
    `Subscription ${id} doesn't exist. \`oxbow topics list\` lists all subscriptions.`,
  );

function addPublishCommand(topics: Command): void {
  withConnection(topics.command("publish"))
    .description("publish a message to a topic")
    .argument("<topic>", "words separated by dots")
    .argument("<message>", "message as JSON; - reads it from standard input")
    .option(
      "--header <key=value>",
      "add a header; key:=json for values that are not strings; repeatable",
      gather,
    )
    .action(
      async (
        topic: string,
        text: string,
        options: ConnectionOptions & { readonly header?: readonly string[] },
      ) => {
        const message = await readJson(text, `the message for topic "${topic}"`);
        const headers = parsePairs(options.header, "--header");
        const reached = await withClient(options, (client) =>
          client.topics.publish(topic, message, defined({ headers })),
        );
        if (options.json === true) printJson({ topic, targets: reached });
        else printText(`Sent to ${count(reached, "target")}.`);
      },
    );
}

function addTargetsCommand(topics: Command): void {
  withConnection(topics.command("targets"))
    .description("list what a message would go to, and publish nothing")
    .argument("<topic>", "words separated by dots")
    .argument("<message>", "message as JSON; - reads it from standard input")
    .action(async (topic: string, text: string, options: ConnectionOptions) => {
      const message = await readJson(text, `the message for topic "${topic}"`);
      const listed = await withClient(options, (client) => client.topics.targets(topic, message));
      const targets = listed.map((one) => ({ ...one, target: maskedUrl(one.target) }));
      printList(targets, options, {
        none: `No subscription matches "${topic}".`,
        row: ({ subscriptionId, pattern, targetType, target, key, problem, isStrict }) => ({
          SUBSCRIPTION: subscriptionId,
          PATTERN: pattern,
          TO: targetType,
          TARGET: target,
          KEY: key,
          PROBLEM:
            problem === null || !isStrict ? problem : `${problem} (strict: publishing fails)`,
        }),
      });
    });
}

interface LettersArguments extends ConnectionOptions {
  readonly subscription?: string;
  readonly max: number;
}

function addLettersCommand(topics: Command): void {
  withConnection(topics.command("letters"))
    .description("list dead letters of topics, oldest first")
    .option("--subscription <id>", "only letters of this subscription")
    .option("--after <id>", "only letters after this one")
    .option("--max <number>", "at most this many", wholeNumber("--max"), 100)
    .action(async (options: LettersArguments & { readonly after?: string }) => {
      const { subscription, after, max } = options;
      const letters = await withClient(options, (client) =>
        client.topics.deadLetters(defined({ subscriptionId: subscription, after, max })),
      );
      const found = letters.map((letter) => ({
        ...letter,
        target: letter.target === null ? null : maskedUrl(letter.target),
      }));
      printList(found, options, {
        none: "No dead letters.",
        row: ({ id, subscriptionId, topic, target, ...letter }) => ({
          ID: id,
          SUBSCRIPTION: subscriptionId,
          TOPIC: topic,
          TARGET: target,
          SINCE: showTime(letter.deadLetteredAt),
          ATTEMPTS: letter.attempts,
          REASON: letter.reason,
          MESSAGE: showJson(letter.message),
        }),
      });
    });
}

function addRedriveCommand(topics: Command): void {
  withConnection(topics.command("redrive"))
    .description("publish dead letters again, each to its own subscription, oldest first")
    .option("--subscription <id>", "only letters of this subscription")
    .option("--max <number>", "at most this many", wholeNumber("--max"), 1_000)
    .argument("[ids...]", "only these letters")
    .action(async (ids: string[], options: LettersArguments) => {
      const { subscription, max } = options;
      const redriven = await withClient(options, (client) =>
        client.topics.redrive({
          ...defined({ subscriptionId: subscription, max }),
          ...(ids.length === 0 ? {} : { ids }),
        }),
      );
      if (options.json === true) printJson({ redriven });
      else printText(`Published ${count(redriven, "dead letter")} again.`);
    });
}

function addDeleteLettersCommand(topics: Command): void {
  withConnection(topics.command("delete-letters"))
    .description("delete dead letters")
    .argument("<ids...>", "ids of dead letters")
    .option("--yes", "delete without asking")
    .action(async (ids: string[], options: ConnectionOptions & { readonly yes?: boolean }) => {
      await confirm(`Delete ${count(ids.length, "dead letter")}`, options.yes);
      const deleted = await withClient(options, (client) => client.topics.deleteDeadLetters(ids));
      if (options.json === true) printJson({ deleted });
      else printText(`Deleted ${count(deleted.length, "dead letter")}.`);
    });
}
