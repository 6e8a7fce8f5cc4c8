import { InvalidArgument } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type { AuditEntry } from "../protocol/audit.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import { checkCursor } from "./run-id.ts";

/** Selects entries with exactly these values. */
export interface AuditFilter {
  /** Name of a token, a user or a role. */
  readonly actor?: string | undefined;
  /** `object.verb`, for example `run.cancel`. */
  readonly action?: string | undefined;
  /** Kind of the object: `run`, `queue`, `schedule`, `subscription`, `workflow` and others. */
  readonly subjectType?: string | undefined;
  /** Id or name of the object. */
  readonly subject?: string | undefined;
  /** From this instant. */
  readonly after?: Date | undefined;
  /** Until before this instant. */
  readonly before?: Date | undefined;
}

export interface AuditListOptions {
  /** Maximum number of entries in a page, up to 1,000. Default 100. */
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page, to start after it. Default: the newest entry. */
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** The cursor of the next page, which excludes later entries; null if this is the last page. */
  readonly cursor: string | null;
}

const FILTER: OptionNames<AuditFilter> = {
  actor: true,
  action: true,
  subjectType: true,
  subject: true,
  after: true,
  before: true,
};
const LIST_OPTIONS: OptionNames<AuditListOptions> = { pageSize: true, cursor: true };
const DEFAULT_PAGE = 100;

/** `client.audit`: who changed what by hand, when, from where and with which outcome. */
export class Audit {
  readonly #transport: ClientTransport;

  constructor(transport: ClientTransport) {
    this.#transport = transport;
  }

  /**
   * Yields pages of the entries that match a filter, newest first.
   *
   * @example for await (const { entries } of client.audit.list({ subjectType: "run", subject: runId })) …
   */
  async *list(
    filter: AuditFilter = {},
    options: AuditListOptions = {},
  ): AsyncGenerator<AuditPage, void> {
    checkOptions(filter, FILTER, "the filter of audit.list()");
    checkOptions(options, LIST_OPTIONS, "audit.list()");
    const { pageSize = DEFAULT_PAGE } = options;
    const { after, before, ...values } = filter;
    const conditions = { ...values, after: toIso(after, "after"), before: toIso(before, "before") };
    let cursor = options.cursor === undefined ? undefined : checkCursor(options.cursor);
    do {
      const found = await this.#transport.audit.list(conditions, { cursor, maxEntries: pageSize });
      cursor = found.length < pageSize ? undefined : found.at(-1)?.cursor;
      yield {
        entries: found.map(({ cursor: _place, ...entry }) => entry),
        cursor: cursor ?? null,
      };
    } while (cursor !== undefined);
  }
}

function toIso(at: Date | undefined, name: string): string | undefined {
  if (at === undefined) return undefined;
  if (at instanceof Date && !Number.isNaN(at.getTime())) return at.toISOString();
  throw new InvalidArgument(`Invalid ${name} of audit.list(): give a valid Date.`);
}
