import { InvalidArgument } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type {
  Approval,
  ApprovalStatus,
  ApprovalVerdict,
  DecisionOutcome,
} from "../protocol/approvals.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import { checkCursor, checkRunId } from "./run-id.ts";

/** Selects requests for approval. */
export interface ApprovalFilter {
  /** `decided`: approved or rejected. */
  readonly status?: ApprovalStatus | "decided" | undefined;
  /** Name of the workflow whose runs ask for the approvals. */
  readonly workflow?: string | undefined;
  /** Id of the run that asks for the approvals. */
  readonly runId?: string | undefined;
  /** Requests that this person may decide. */
  readonly approver?: string | undefined;
  /** Groups of the approver. */
  readonly groups?: readonly string[] | undefined;
}

interface ApprovalListOptions {
  /** Maximum number of requests in a page, up to 1,000. Default 100. */
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page, to start after it. Default: the newest request. */
  readonly cursor?: string | undefined;
}

export interface ApprovalPage {
  /** Newest first. */
  readonly approvals: readonly Approval[];
  /** The cursor of the next page; null if this is the last page. */
  readonly cursor: string | null;
}

export interface DecideOptions {
  /** The fields that the person filled in. A server compares them with the form of the request. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The person who decides. Default: the actor of the client. Through a server, it requires a token with the scope `act`;
   * straight to the database, an administrator.
   */
  readonly actor?: string | undefined;
  /** Groups of the person, under the same conditions. */
  readonly groups?: readonly string[] | undefined;
}

interface LinkOptions {
  /** Groups of the person. */
  readonly groups?: readonly string[] | undefined;
}

const FILTER: OptionNames<ApprovalFilter> = {
  status: true,
  workflow: true,
  runId: true,
  approver: true,
  groups: true,
};
const LIST_OPTIONS: OptionNames<ApprovalListOptions> = { pageSize: true, cursor: true };
const DECIDE_OPTIONS: OptionNames<DecideOptions> = { values: true, actor: true, groups: true };
const LINK_OPTIONS: OptionNames<LinkOptions> = { groups: true };
const DEFAULT_PAGE = 100;

/** `client.approvals`: what runs ask people, and their decisions. */
export class Approvals {
  readonly #transport: ClientTransport;
  readonly #actor: string | undefined;

  constructor(transport: ClientTransport, actor: string | undefined) {
    this.#transport = transport;
    this.#actor = actor;
  }

  /**
   * Yields pages of the requests that match a filter, newest first.
   *
   * @example for await (const { approvals } of client.approvals.list({ status: "waiting", approver: "ada" })) …
   */
  async *list(
    filter: ApprovalFilter = {},
    options: ApprovalListOptions = {},
  ): AsyncGenerator<ApprovalPage, void> {
    checkOptions(filter, FILTER, "the filter of approvals.list()");
    checkOptions(options, LIST_OPTIONS, "approvals.list()");
    const { pageSize = DEFAULT_PAGE } = options;
    if (filter.runId !== undefined) checkRunId(filter.runId);
    let cursor = options.cursor === undefined ? undefined : checkCursor(options.cursor);
    do {
      const approvals = await this.#transport.approvals.list(filter, {
        before: cursor,
        maxApprovals: pageSize,
      });
      cursor = approvals.length < pageSize ? undefined : approvals.at(-1)?.id;
      yield { approvals, cursor: cursor ?? null };
    } while (cursor !== undefined);
  }

  /**
   * Reads a request with its decisions.
   *
   * @throws ApprovalNotFound
   */
  async get(id: string): Promise<Approval> {
    return this.#transport.approvals.get(checkApprovalId(id));
  }

  /**
   * Decides a request in the name of a person, who may decide once. With enough decisions, the run continues.
   *
   * @throws ApprovalNotFound; NotAnApprover if the request names others, or excludes this person; InvalidArgument if the
   *   values don't fit the form.
   */
  async decide(
    id: string,
    decision: ApprovalVerdict,
    options: DecideOptions = {},
  ): Promise<DecisionOutcome> {
    checkOptions(options, DECIDE_OPTIONS, "approvals.decide()");
    const { values, actor = this.#actor, groups } = options;
    return this.#transport.approvals.decide({
      id: checkApprovalId(id),
      decision,
      values,
      actor,
      groups,
    });
  }

  /**
   * Creates the token of a link, `<server>/approve/<token>`, by which one person decides without signing in. Send it
   * only to that person: with the link, anyone decides in that name. It works until the request ends.
   *
   * @throws ApprovalNotFound; NotAnApprover
   */
  async link(id: string, actor: string, options: LinkOptions = {}): Promise<string> {
    checkOptions(options, LINK_OPTIONS, "approvals.link()");
    return this.#transport.approvals.link(checkApprovalId(id), actor, options.groups);
  }
}

function checkApprovalId(id: unknown): string {
  if (typeof id === "string" && /^\d{1,18}$/.test(id)) return id;
  const shown = typeof id === "string" ? `"${id.slice(0, 40)}"` : String(id);
  throw new InvalidArgument(
    `Invalid approval id ${shown}: it is digits in a string, as approvals.list() returns it.`,
  );
}
