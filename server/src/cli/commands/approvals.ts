/** `oxbow approvals`: what runs ask people, and their decisions. */
import type { Approval, ApprovalFilter } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { conflict } from "../exit-codes.ts";
import { pageSizeFor, printJson, printPages, printText } from "../output.ts";
import { showTime } from "../show.ts";
import { gather, oneOf, parseObject, parsePairs, wholeNumber } from "../values.ts";

const STATUSES = ["waiting", "decided", "approved", "rejected", "expired", "withdrawn"] as const;

export function addApprovalsCommands(program: Command): void {
  const approvals = program
    .command("approvals")
    .description("list and decide requests for approval");
  addListCommand(approvals);
  addDecideCommand(approvals);
}

interface ListArguments extends ConnectionOptions {
  readonly status?: (typeof STATUSES)[number];
  readonly all?: boolean;
  readonly workflow?: string;
  readonly run?: string;
  readonly approver?: string;
  readonly group: readonly string[];
  readonly limit: number;
}

function addListCommand(approvals: Command): void {
  withConnection(approvals.command("list"))
    .description("list requests for approval, newest first; by default the waiting ones")
    .option("--status <status>", `only these: ${STATUSES.join(", ")}`, oneOf("--status", STATUSES))
    .option("--all", "in any state")
    .option("--workflow <name>", "of runs of this workflow")
    .option("--run <id>", "of this run")
    .option("--approver <name>", "requests that this person may decide")
    .option("--group <name>", "a group of the approver; may be repeated", gather, [])
    .option("--limit <number>", "list at most this many", wholeNumber("--limit"), 50)
    .action(async (options: ListArguments) => {
      await withClient(options, async (client) => {
        const pages = client.approvals.list(filterOf(options), {
          pageSize: pageSizeFor(options.limit),
        });
        await printPages(pages, options, {
          itemsOf: (page) => page.approvals,
          none: "No requests match.",
          row: (approval) => ({
            APPROVAL: approval.id,
            REQUESTED: showTime(approval.requestedAt),
            WORKFLOW: approval.workflow,
            RUN: approval.runId,
            STEP: approval.step,
            QUESTION: approval.title,
            APPROVERS: approval.approvers?.join(", ") ?? "anyone",
            EXPIRES: showTime(approval.expiresAt),
            STATE: stateOf(approval),
          }),
        });
      });
    });
}

function filterOf({ status, all, workflow, run, approver, group }: ListArguments): ApprovalFilter {
  return {
    status: status ?? (all === true ? undefined : "waiting"),
    workflow,
    runId: run,
    approver,
    groups: group.length === 0 ? undefined : group,
  };
}

function stateOf({ status, decisions, quorum }: Approval): string {
  if (status === "waiting") {
    const approved = decisions.filter(({ decision }) => decision === "approved").length;
    return quorum === 1 ? status : `${status}, ${approved} of ${quorum}`;
  }
  const last = decisions.at(-1);
  return last === undefined ? status : `${status} by ${last.actor}`;
}

interface DecideArguments extends ConnectionOptions {
  readonly values?: string;
  readonly set: readonly string[];
  readonly actor?: string;
  readonly group: readonly string[];
}

function addDecideCommand(approvals: Command): void {
  withConnection(approvals.command("decide"))
    .description("approve or reject a request")
    .argument("<approval>", "id of the request")
    .argument(
      "<decision>",
      "approve or reject",
      oneOf("<decision>", ["approve", "reject"] as const),
    )
    .option("--values <json>", "what you fill in, as a JSON object")
    .option("--set <key=value>", "one field: key=text, or key:=json; may be repeated", gather, [])
    .option("--actor <name>", "decide in the name of this person, if you may act for others")
    .option("--group <name>", "a group of that person; may be repeated", gather, [])
    .action(async (id: string, given: "approve" | "reject", options: DecideArguments) => {
      const decision = given === "approve" ? "approved" : "rejected";
      const outcome = await withClient(options, (client) =>
        client.approvals.decide(id, decision, {
          values: valuesOf(options),
          actor: options.actor,
          groups: options.group.length === 0 ? undefined : options.group,
        }),
      );
      if (options.json === true) printJson({ approval: id, outcome });
      if (outcome === "decided") {
        throw conflict("ALREADY_DECIDED", `Approval ${id} was decided before.`);
      }
      if (outcome === "expired") {
        throw conflict("APPROVAL_EXPIRED", `Approval ${id} has expired or was withdrawn.`);
      }
      if (options.json === true) return;
      printText(
        outcome === "delivered"
          ? `Approval ${id} is ${decision}, and its run continues.`
          : `Your decision about approval ${id} is recorded. Others must decide too.`,
      );
    });
}

function valuesOf({ values, set }: DecideArguments): Readonly<Record<string, unknown>> | undefined {
  const pairs = parsePairs(set, "--set");
  if (values === undefined) return pairs;
  return { ...parseObject(values, "--values"), ...pairs };
}
