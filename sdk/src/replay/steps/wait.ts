import type { StandardSchemaV1 } from "@standard-schema/spec";
import { parseDuration } from "../../core/duration.ts";
import { InvalidArgument } from "../../core/errors.ts";
import { toJournal } from "../../core/json.ts";
import { checkOptions } from "../../core/options.ts";
import { checkEventName } from "../../core/names.ts";
import { WAIT_OPTIONS, type WaitOptions } from "../../definition/step.ts";
import type { EventWait, Wait } from "../../protocol/continuation.ts";
import { Deferred } from "../deferred.ts";
import { StepPromise } from "../step-promise.ts";
import type { Abandonment, Outcome, StepHost, TimedStep } from "./asked-step.ts";

/** Option for interpreters of workflows: what the wait returns at its timeout, instead of null. */
export const AT_TIMEOUT = Symbol.for("oxbow.at_timeout");

/** Option for interpreters of workflows: what the wait asks people, whose decision it returns. No signal satisfies it. */
export const APPROVAL = Symbol.for("oxbow.approval");

/** A request for approval. */
export interface ApprovalRequest {
  /** The question. */
  readonly title: string;
  readonly description?: string;
  /** JSON Schema of what approvers fill in. */
  readonly form?: unknown;
  /** People and groups who may decide. Default: everyone with the right to decide approvals. */
  readonly approvers?: readonly string[];
  /** How many must approve. Default 1. */
  readonly quorum?: number;
  /** How many must reject. Default 1. */
  readonly rejections?: number;
  /** Those who started the run can't decide. */
  readonly excludeStarter?: boolean;
}

export interface EventWaitOptions extends WaitOptions {
  readonly event?: string | undefined;
  readonly [AT_TIMEOUT]?: unknown;
  readonly [APPROVAL]?: ApprovalRequest;
}

/**
 * `step.waitForEvent`. Only the database decides between a signal and the timeout, and journals its decision (R9). This
 * step describes the wait, and submits it when its deadline has passed.
 */
export class WaitStep implements TimedStep {
  readonly kind = "wait";
  readonly name: string;
  readonly promise: StepPromise<unknown>;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<unknown>();
  readonly #event: string;
  readonly #match: unknown;
  readonly #timeoutMs: number | undefined;
  readonly #topic: string | undefined;
  readonly #atTimeout: unknown;
  readonly #approval: ApprovalRequest | undefined;
  hasEnded = false;

  constructor(
    host: StepHost,
    name: string,
    options: EventWaitOptions,
    schemas: Readonly<Record<string, StandardSchemaV1>>,
  ) {
    checkOptions(options, WAIT_OPTIONS, `step "${name}"`);
    const { match, timeout, topic } = options;
    this.#approval = options[APPROVAL];
    const event = this.#approval === undefined ? (options.event ?? name) : approvalEvent(name);
    if (this.#approval === undefined) checkEventName(event);
    if (topic !== undefined) checkPattern(topic, name);
    this.#topic = topic;
    this.#atTimeout = options[AT_TIMEOUT] ?? null;
    this.#host = host;
    this.name = name;
    this.#event = event;
    this.#match = match === undefined ? undefined : checkMatch(match, name);
    this.#timeoutMs =
      timeout === undefined ? undefined : parseDuration(timeout, `the timeout of step "${name}"`);
    const schema = Object.hasOwn(schemas, event) ? schemas[event] : undefined;
    this.promise = schema === undefined ? this.#deferred.promise : this.#validated(schema);
  }

  begin(): void {
    const begun = this.#host.continuation.claimWait(this.name);
    const wait = this.#toWait(begun?.kind === "event" ? begun : undefined);
    this.#host.continuation.addWait(wait, isSameWait(wait, begun));
    if (wait.until !== undefined) this.#host.agenda.setDeadline(wait.until, this);
    if (begun?.kind === "event") return;
    if (this.#approval !== undefined) {
      this.#host.commits.addRequest({
        kind: "approval",
        step: this.name,
        request: requestText(this.#approval, wait.until),
      });
    }
    if (this.#topic === undefined) return;
    this.#host.commits.addRequest({
      kind: "subscribe",
      step: this.name,
      event: this.#event,
      topic: this.#topic,
      ...(this.#match === undefined ? {} : { match: JSON.stringify(this.#match) }),
    });
  }

  fallDue(): void {
    this.#host.continuation.expire(this.name);
  }

  end(outcome: Outcome): void {
    this.hasEnded = true;
    this.#host.continuation.removeResolved(this.name);
    const hasTimedOut = outcome.attempts === 0;
    this.#deferred.resolve(hasTimedOut ? this.#atTimeout : (outcome.output ?? null));
  }

  abandon(): Abandonment {
    this.hasEnded = true;
    const since = this.#host.continuation.beginningOf(this.name);
    this.#host.continuation.remove(this.name);
    const wasUnsent = this.#host.commits.dropEffects(this.name);
    const isRequested = this.#approval !== undefined && !wasUnsent;
    return {
      attempts: 1,
      since,
      ...(isRequested ? { effect: { kind: "withdraw", step: this.name } } : {}),
    };
  }

  #toWait(begun: EventWait | undefined): EventWait {
    const { clock } = this.#host;
    const until =
      begun?.until ??
      (this.#timeoutMs === undefined ? undefined : Math.ceil(clock.latest() + this.#timeoutMs));
    return {
      kind: "event",
      step: this.name,
      event: this.#event,
      ...(begun?.since === undefined ? {} : { since: begun.since }),
      ...(this.#match === undefined ? {} : { match: this.#match }),
      ...(until === undefined ? {} : { until }),
      ...(this.#approval === undefined ? {} : { approval: true }),
    };
  }

  #validated(schema: StandardSchemaV1): StepPromise<unknown> {
    const validated = this.#deferred.promise.then((payload) =>
      payload === null || payload === this.#atTimeout
        ? payload
        : this.#host.validate(schema, payload, `payload of event "${this.#event}"`),
    );
    const promise = new StepPromise<unknown>((resolve) => resolve(validated));
    promise.ignoreRejection();
    return promise;
  }
}

/** The event of a decision. A signal can't have this name, which begins with a space. */
const approvalEvent = (step: string): string => ` approval:${step}`;

function requestText(request: ApprovalRequest, until: number | undefined): string {
  const expiresAt = until === undefined ? undefined : new Date(until).toISOString();
  return JSON.stringify({ ...request, expiresAt });
}

/** Checks a pattern like SQL does: a commit with an invalid one would fail for ever. */
function checkPattern(topic: unknown, step: string): void {
  const isPattern =
    typeof topic === "string" &&
    PATTERN.test(topic) &&
    Buffer.byteLength(topic) <= 255 &&
    topic.split(".").length <= 32;
  if (isPattern) return;
  throw new InvalidArgument(
    `Invalid topic ${JSON.stringify(topic)} in step "${step}": give 1 to 32 words split by ".", 255 bytes at most, where "*" stands for one word and "#" for any number.`,
  );
}

const PATTERN = /^(\*|#|[^\s*#.\p{Cc}]+)(\.(\*|#|[^\s*#.\p{Cc}]+))*$/u;

/** The plain data of a match. JSON drops `undefined` members, so they would match any value. */
function checkMatch(match: unknown, step: string): unknown {
  const what = `the match of step "${step}"`;
  const { value } = toJournal(match, what);
  JSON.stringify(match, (key, member: unknown) => {
    if (member !== undefined) return member;
    throw new InvalidArgument(
      `Invalid match of step "${step}": its member "${key}" is undefined, so it would match any value of it.`,
    );
  });
  return value;
}

const isSameWait = (wait: EventWait, begun: Wait | undefined): boolean =>
  begun?.kind === "event" &&
  begun.event === wait.event &&
  begun.until === wait.until &&
  JSON.stringify(begun.match) === JSON.stringify(wait.match);
