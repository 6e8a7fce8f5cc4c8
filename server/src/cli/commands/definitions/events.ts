/** `oxbow definitions events`, `explain` and `forget-once`: what starts runs, and why not. */
import type { TriggerEvent, TriggerExplanation } from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { conflict } from "../../exit-codes.ts";
import {
  printFacts,
  printJson,
  printList,
  printRows,
  printText,
  remark,
  style,
} from "../../output.ts";
import { showTime } from "../../show.ts";
import { oneOf, wholeNumber } from "../../values.ts";
import { withAuthor, withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

const STATES = ["evaluated", "retrying", "failed", "refused"] as const;

interface EventsOptions extends ConnectionOptions {
  readonly topic?: string;
  readonly state?: (typeof STATES)[number];
  readonly limit?: number;
  readonly before?: string;
}

export function addEventCommands(definitions: Command): void {
  addEventsCommand(definitions);
  addExplainCommand(definitions);
  addForgetCommand(definitions);
}

function addEventsCommand(definitions: Command): void {
  withConnection(definitions.command("events"))
    .description("list events of triggers, the newest first")
    .argument("[definition]", "only events that reach its triggers, whether they match or not")
    .option("--topic <topic>", "only those of this topic")
    .option(
      "--state <state>",
      `only events in this state: ${STATES.join(", ")}`,
      oneOf("--state", STATES),
    )
    .option("--limit <number>", "how many (default: 50)", wholeNumber("--limit"))
    .option("--before <event>", "only those before this one")
    .action(async (definition: string | undefined, options: EventsOptions) => {
      const { topic, state, limit, before } = options;
      const found = await withDefinitions(options, (client) =>
        client.events(defined({ definition, topic, state, limit, before })),
      );
      printList(found, options, {
        none: "No events. They are kept for 7 days.",
        row: (event) => ({
          EVENT: event.eventId,
          PUBLISHED: showTime(event.publishedAt),
          TOPIC: event.topic,
          STATE: event.state === "evaluated" ? event.state : style("yellow", event.state),
          MATCHES: matchesOf(event),
          MESSAGE: JSON.stringify(event.message).slice(0, 60),
        }),
      });
    });
}

/** Such as `2 started, 1 once`. */
function matchesOf({ matches }: TriggerEvent): string {
  const outcomes = [...new Set(matches.map(({ outcome }) => outcome))];
  return outcomes
    .map((wanted) => `${matches.filter(({ outcome }) => outcome === wanted).length} ${wanted}`)
    .join(", ");
}

function addExplainCommand(definitions: Command): void {
  withConnection(definitions.command("explain"))
    .description("explain why an event started a run of a definition, or did not")
    .argument("<definition>", "name of the definition")
    .argument("<event>", "id of the event, as `oxbow definitions events` lists it")
    .option(
      "--version <number>",
      "version whose triggers are asked (default: the published one)",
      wholeNumber("--version"),
    )
    .action(
      async (
        name: string,
        eventId: string,
        options: ConnectionOptions & { readonly version?: number },
      ) => {
        const { version } = options;
        const explained = await withDefinitions(options, (client) =>
          client.explain(name, eventId, defined({ version })),
        );
        if (options.json === true) return printJson(explained);
        printFacts({
          event: explained.eventId,
          topic: explained.topic,
          published: showTime(explained.publishedAt),
          state: explained.state,
          error: explained.error,
          definition: `${name}, ${explained.definitionState}`,
          version: explained.version,
        });
        if (explained.triggers.length === 0) remark("The version has no triggers.");
        explained.triggers.forEach(showTrigger);
      },
    );
}

function showTrigger({
  name,
  verdict,
  reason,
  runId,
  conditions,
  onceKey,
}: TriggerExplanation): void {
  printText("");
  printFacts({ trigger: name, verdict, reason, run: runId, "once for": onceKey });
  if (conditions.length === 0) return;
  printRows(
    conditions.map(({ holds, text, values, error }) => ({
      HOLDS: holds === null ? "failed" : holds ? "yes" : "no",
      CONDITION: text,
      VALUES:
        error ??
        Object.entries(values)
          .map(([path, value]) => `${path} = ${value}`)
          .join(", "),
    })),
  );
}

function addForgetCommand(definitions: Command): void {
  withAuthor(definitions.command("forget-once"))
    .description("let the next event with these values of once_for start another run")
    .argument("<definition>", "name of the definition")
    .argument("<values>", "the values as JSON, as `oxbow definitions explain` shows them")
    .action(async (name: string, values: string, options: ConnectionOptions) => {
      const isForgotten = await withDefinitions(options, (client) =>
        client.forgetOnce(name, values),
      );
      if (options.json === true) printJson({ definition: name, forgotten: isForgotten });
      if (!isForgotten) {
        throw conflict("NOT_CHANGED", `Definition "${name}" has no run for these values.`);
      }
      if (options.json !== true) printText(`Definition ${name} may start another run.`);
    });
}
