/** `oxbow topics deliveries`, `delivery` and `resend`: the log of deliveries to urls. */
import type { DeliveryStatus } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { type CommandFailure, EXIT, notFound } from "../exit-codes.ts";
import { printJson, printJsonLine, printList, printRows, printText, remark } from "../output.ts";
import { showJson, showTime } from "../show.ts";
import { oneOf, wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

const STATUSES: readonly DeliveryStatus[] = ["waiting", "delivered", "failed"];

export function addDeliveriesCommands(topics: Command): void {
  addListCommand(topics);
  addShowCommand(topics);
  addResendCommand(topics);
}

interface ListArguments extends ConnectionOptions {
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
  readonly before?: string;
  readonly max: number;
}

function addListCommand(topics: Command): void {
  withConnection(topics.command("deliveries"))
    .description("list deliveries to urls, newest first, with the outcome of their last attempt")
    .option("--subscription <id>", "only deliveries of this subscription")
    .option(
      "--status <status>",
      "only those that are waiting, delivered or failed",
      oneOf("--status", STATUSES),
    )
    .option("--before <id>", "only deliveries before this one")
    .option("--max <number>", "at most this many", wholeNumber("--max"), 100)
    .action(async (options: ListArguments) => {
      const { subscription, status, before, max } = options;
      const found = await withClient(options, (client) =>
        client.topics.deliveries(defined({ max, subscriptionId: subscription, status, before })),
      );
      printList(found, options, {
        none: "No deliveries.",
        row: ({ id, subscriptionId, topic, url, ...one }) => ({
          ID: id,
          SUBSCRIPTION: subscriptionId,
          TOPIC: topic,
          URL: url,
          STATUS: one.status,
          ATTEMPTS: one.attempts,
          LAST: showTime(one.attemptedAt),
          ANSWER: one.failure ?? one.statusCode,
          NEXT: showTime(one.nextAttemptAt),
        }),
      });
    });
}

function addShowCommand(topics: Command): void {
  withConnection(topics.command("delivery"))
    .description("show a delivery to a url: its message and each attempt")
    .argument("<id>", "id of the delivery")
    .action(async (id: string, options: ConnectionOptions) => {
      const found = await withClient(options, (client) => client.topics.delivery(id));
      if (found === undefined) throw noDelivery(id);
      if (options.json === true) return printJson(found);
      printText(`Delivery ${id} of topic "${found.topic}": ${found.status}`);
      printText(`Subscription ${found.subscriptionId}, ${found.url ?? "which has ended"}`);
      printText(`Webhook id ${found.webhookId}`);
      printText(`Message ${showJson(found.message)}`);
      const { attempts: attempt, attemptedAt, durationMs, statusCode, failure, response } = found;
      const last = { attempt, attemptedAt, durationMs, statusCode, failure, response };
      printRows(
        [...found.earlierAttempts, last].map((one) => ({
          ATTEMPT: one.attempt,
          AT: showTime(one.attemptedAt),
          MS: one.durationMs,
          STATUS: one.statusCode,
          FAILURE: one.failure,
          RESPONSE: one.response === null ? "" : JSON.stringify(one.response),
        })),
      );
    });
}

function addResendCommand(topics: Command): void {
  withConnection(topics.command("resend"))
    .description(
      "send deliveries to urls again, with the same webhook id; exits with 1 unless all are sent",
    )
    .argument("<ids...>", "ids of deliveries")
    .action(async (ids: string[], options: ConnectionOptions) => {
      const results = await withClient(options, (client) => client.topics.resend(ids));
      const resent = results.filter(({ problem }) => problem === null);
      if (resent.length < results.length) process.exitCode = EXIT.failed;
      if (options.json === true) results.forEach(printJsonLine);
      else {
        const noun = resent.length === 1 ? "delivery" : "deliveries";
        printText(`Sending ${resent.length} ${noun} again.`);
        for (const { id, problem } of results) {
          if (problem !== null) remark(`Delivery ${id} is not sent again: ${problem}.`);
        }
      }
    });
}

const noDelivery = (id: string): CommandFailure =>
  notFound(
    "DELIVERY_NOT_FOUND",
    `The log of deliveries doesn't have delivery ${id}, or no longer. \`oxbow topics deliveries\` lists those it has.`,
  );
