/**
 * Pushes runs to one endpoint: receives as many as the endpoint may execute at the same time, and sends each in a request.
 *
 * Promises:
 *   L1  Each endpoint receives its own runs: one that fails or hangs delays no other.
 *   L2  It sends no request while nothing is ready, and receives nothing while the endpoint is away. It then asks the
 *       endpoint what it serves, after pauses that grow to a minute, and continues when there is an answer, also to a check by
 *       others, as after a deployment. One that refuses a run as not served is asked too, every few seconds at most, and
 *       is away if that fails. One that refuses a request as too large is well: only that run waits, for as long as it has
 *       existed, from one minute to ten, since a limit may be raised.
 *   L3  A run that the function certainly does not execute is given back, and its delivery is not counted.
 *   L4  If it is unknown whether the function executes a run, the endpoint is asked what it serves. If it answers, the run is
 *       what the request died of: the function may commit until its lease ends, and then this counts as a death. So it does if
 *       the endpoint is back before that, since the run may have ended its process; one that dies soon after its start is no
 *       evidence against a run. If it stays away, or several runs in a row have met the same fate while it answered, the
 *       endpoint is at fault, and no run: each is received again when its lease would have ended, uncounted.
 *   L5  The lease of a run is extended while its request is open, so that no other worker receives a run that the
 *       endpoint has yet to begin. The function extends it too, since a proxy may end the request before.
 *   L6  Events and reasons of runs show the url without its password and its query.
 *   L7  A stop receives nothing more, gives requests some time to end, and leaves the rest to their functions, which commit
 *       to another server.
 */
import {
  askPersistently,
  type Emitter,
  type EndpointManifest,
  LARGEST_PUSHED_BYTES,
  type LeaseTokenKeys,
  PUSH_PROTOCOL,
  type PushRequest,
  type PushTarget,
  Receiver,
  type RequestTimes,
  type RunCommit,
  toRelease,
  type Transport,
  unlessAborted,
  within,
  type WorkflowDelivery,
} from "@oxbow/sdk/internal/server";
import { setMaxListeners } from "node:events";
import type { ServerEvents } from "../../events.ts";
import { Circuit, LONGEST_MS } from "./circuit.ts";
import type { EndpointRequests, PushAnswer } from "./endpoint-requests.ts";
import type { HeldLeases } from "./held-leases.ts";
import { shownUrl } from "./shown-url.ts";
import { track } from "../track.ts";

export interface EndpointLaneOptions {
  readonly target: PushTarget;
  readonly transport: Pick<Transport, "worker">;
  readonly requests: EndpointRequests;
  readonly leases: HeldLeases;
  readonly leaseTokens: LeaseTokenKeys;
  /** Url by which functions reach a server. */
  readonly commitUrl: () => string;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  /** The endpoint fails, or serves something else than it did. */
  readonly onFailing: (target: PushTarget, detail: string) => void;
  /** The endpoint serves this. Resolves with the reason if that can't be registered. */
  readonly onWell: (target: PushTarget, manifest: EndpointManifest) => Promise<string | undefined>;
}

export const LEASE_MS = 30_000;
/** From the end of a function's time until its answer is here. */
const ANSWER_MARGIN_MS = 5_000;
/** A token lasts longer than its function may take: the end of the lease cuts the function off. */
const TOKEN_MARGIN_MS = 120_000;
/** The time of a function whose limit is unknown. */
const SHORTEST_BUDGET_MS = 10_000;
/** L4. */
const MOST_DYING = 3;
/** L4: an endpoint that has answered for so long has started. */
const STARTED_AFTER_MS = 10_000;
/** So long before the end of its lease, a run is given back. */
const RELEASE_MARGIN_MS = 3_000;
const STOP_WITHIN_MS = 10_000;
/** How long a run waits that this endpoint can't execute now, so that another worker or endpoint has its turn. */
const REFUSED_FOR_MS = 1_000;
/** L2. Waiting for as long as it has existed doubles each wait, and needs no memory. */
const TOO_LARGE_FOR_MS = { least: 60_000, most: 600_000 };

/** Longer than a lane takes to learn what a check has found. */
const CHECKED_EVERY_MS = 5_000;

export class EndpointLane {
  readonly #options: EndpointLaneOptions;
  readonly #circuit = new Circuit();
  readonly #underWay = new Set<Promise<void>>();
  /** Ends requests that a stop doesn't wait for. */
  readonly #cutOff = new AbortController();
  readonly #stopping = new AbortController();
  /** L4: whose requests have died since the endpoint executed a run. */
  readonly #dying = new Set<string>();
  /** Checks after a refusal, and runs whose requests have died, until it is known of what. They need no slot. */
  readonly #unsettled = new Set<Promise<void>>();
  /** L2: when a refused run is the next reason to ask what the endpoint serves, by `performance.now()`. */
  #checksAgainAt = 0;
  /** When the endpoint answered first, or again, by `performance.now()`. */
  #answersSince = performance.now();
  /** Resolves when an endpoint that is away answers again. */
  #back: Promise<void> = Promise.resolve();
  #isBack = (): void => {};
  #target: PushTarget;
  #receiver: Receiver | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(options: EndpointLaneOptions) {
    this.#options = options;
    this.#target = options.target;
    // Each request in progress has one.
    setMaxListeners(0, this.#cutOff.signal);
  }

  start(): void {
    const { transport, events } = this.#options;
    const worker = transport.worker;
    this.#receiver = new Receiver({
      transport: worker,
      versions: new Map(Object.entries(this.#target.serves)),
      leaseMs: LEASE_MS,
      freeSlots: () => this.#freeSlots,
      leavesRoom: () => false,
      heldBytes: () => this.#bytes,
      passesOn: true,
      onDelivery: (delivery, times) => this.#begin(delivery, times),
      // The function learns it with its heartbeat.
      onAttention: () => {},
      onTrouble: (error) =>
        events.emit("trouble", { doing: `receiving runs for ${this.#shownUrl}`, error }),
    });
    this.#receiver.start();
  }

  /** The versions of the endpoint, or its concurrency, have changed. */
  async update(target: PushTarget): Promise<void> {
    const isSame = JSON.stringify(target.serves) === JSON.stringify(this.#target.serves);
    this.#target = target;
    if (isSame) {
      this.#receiver?.slotFreed();
      return;
    }
    const receiver = this.#receiver;
    if (!this.#stopping.signal.aborted) this.start();
    await receiver?.stop();
  }

  /** L2: a check that the lane has not made has succeeded. */
  answered(): void {
    if (!this.#circuit.isOpen || this.#circuit.mustWait) return;
    this.#close();
  }

  /** The endpoint gets no more runs, such as one that is paused. Resolves when its last request has ended. */
  async retire(): Promise<void> {
    this.#stopping.abort(new Error("The endpoint gets no more runs."));
    clearTimeout(this.#retryTimer);
    await this.#receiver?.stop();
    await Promise.all(this.#underWay);
    await Promise.all(this.#unsettled);
  }

  /** L7. */
  async stop(): Promise<void> {
    const retired = this.retire();
    await within(STOP_WITHIN_MS, retired);
    this.#cutOff.abort(new Error("The server is stopping."));
    await retired;
  }

  get #shownUrl(): string {
    return shownUrl(this.#target.url);
  }

  get #freeSlots(): number {
    if (this.#circuit.isOpen) return 0;
    return Math.max(0, this.#target.concurrency - this.#underWay.size);
  }

  #begin(delivery: WorkflowDelivery, times: RequestTimes): void {
    const bytes = delivery.bytes ?? 0;
    this.#bytes += bytes;
    this.#track(this.#underWay, this.#push(delivery, times), () => {
      this.#bytes -= bytes;
      this.#receiver?.slotFreed();
    });
  }

  #track(into: Set<Promise<void>>, work: Promise<void>, onEnd?: () => void): void {
    const onFailure = (error: unknown): void => {
      const doing = `pushing a run to ${this.#shownUrl}`;
      this.#options.events.emit("trouble", { doing, error });
    };
    track(into, work, onFailure, onEnd);
  }

  async #push(delivery: WorkflowDelivery, times: RequestTimes): Promise<void> {
    // A receive that was in flight has returned it.
    if (this.#circuit.isOpen || this.#stopping.signal.aborted) {
      await this.#giveBack(delivery, times);
      return;
    }
    const { requests, leases, events } = this.#options;
    const target = this.#target;
    const startedAt = performance.now();
    const budgetMs = target.maxDurationMs ?? SHORTEST_BUDGET_MS;
    const body = JSON.stringify(await this.#requestFor(delivery, times, budgetMs));
    const timeoutMs = budgetMs + ANSWER_MARGIN_MS;
    const held = leases.hold(delivery.receipt, times.sentAt + LEASE_MS);
    const { signal } = this.#cutOff;
    const answer = await requests.push(target.url, delivery.receipt, body, timeoutMs, signal);
    held.end();
    events.emit("runPushed", {
      url: this.#shownUrl,
      runId: delivery.runId,
      durationMs: performance.now() - startedAt,
      outcome: answer.kind === "done" ? answer.outcome : answer.kind,
      failure: answer.kind === "done" ? undefined : answer.detail,
    });
    // L7.
    if (answer.kind === "unknown" && signal.aborted) return;
    await this.#settle(delivery, times, answer, held.endsAt());
  }

  async #requestFor(
    delivery: WorkflowDelivery,
    { sentAt }: RequestTimes,
    budgetMs: number,
  ): Promise<PushRequest> {
    const { commitUrl, leaseTokens } = this.#options;
    const { runId, receipt } = delivery;
    const expiresAt = new Date(Date.now() + budgetMs + TOKEN_MARGIN_MS);
    const token = await leaseTokens.sign({ runId, receipt, expiresAt });
    const isLarge = (delivery.bytes ?? 0) > LARGEST_PUSHED_BYTES;
    const ageMs = Math.ceil(performance.now() - sentAt);
    return {
      protocol: PUSH_PROTOCOL,
      delivery: isLarge ? { ...delivery, journal: [], journalFollows: true } : delivery,
      ageMs,
      leaseMs: LEASE_MS - ageMs,
      budgetMs,
      sentAt: Date.now(),
      commit: { url: commitUrl(), token },
    };
  }

  async #settle(
    delivery: WorkflowDelivery,
    times: RequestTimes,
    answer: PushAnswer,
    leasedUntil: number,
  ): Promise<void> {
    if (answer.kind === "done") {
      this.#circuit.succeeded();
      this.#dying.clear();
      return;
    }
    const { detail } = answer;
    if (answer.kind === "refused") {
      const askedMs = Math.min(answer.retryAfterMs ?? 0, LONGEST_MS);
      const waitMs = Math.max(leastWaitMs(answer.about, delivery), askedMs);
      if (answer.about === "version") this.#track(this.#unsettled, this.#checkServed());
      if (answer.about === "endpoint") this.#fail(detail, waitMs);
      await this.#giveBack(delivery, times, detail, waitMs);
      return;
    }
    if (answer.kind === "away") {
      this.#fail(detail);
      await this.#giveBack(delivery, times, detail);
      return;
    }
    this.#track(this.#unsettled, this.#settleUnknown(delivery, times, detail, leasedUntil));
  }

  /** L4. */
  async #settleUnknown(
    delivery: WorkflowDelivery,
    times: RequestTimes,
    detail: string,
    leasedUntil: number,
  ): Promise<void> {
    const { signal } = this.#cutOff;
    const hadStarted = performance.now() - this.#answersSince >= STARTED_AFTER_MS;
    this.#dying.add(delivery.runId);
    const { manifest } = await this.#options.requests.check(this.#target.url, signal);
    if (manifest !== undefined && this.#dying.size < MOST_DYING) return;
    this.#fail(detail);
    // A lane that gets no more runs doesn't ask again.
    if (manifest === undefined && hadStarted && this.#circuit.isOpen) {
      const leftMs = leasedUntil - performance.now() - RELEASE_MARGIN_MS;
      const back = unlessAborted(this.#back, signal).catch(() => {});
      if (await within(Math.max(0, leftMs), back)) return;
    }
    await this.#giveBack(delivery, times, detail, Math.max(0, leasedUntil - performance.now()));
  }

  /** L2. */
  #fail(detail: string, askedMs = 0): void {
    if (this.#circuit.isOpen || this.#stopping.signal.aborted) return;
    this.#options.onFailing(this.#target, detail);
    this.#back = new Promise((resolve) => {
      this.#isBack = resolve;
    });
    this.#tryAfter(this.#circuit.open(askedMs));
  }

  /** L2: it has refused a run as one that it doesn't serve. */
  async #checkServed(): Promise<void> {
    if (performance.now() < this.#checksAgainAt) return;
    this.#checksAgainAt = Number.POSITIVE_INFINITY;
    try {
      const { requests, onWell } = this.#options;
      const answer = await requests.check(this.#target.url, this.#stopping.signal);
      const failure =
        answer.manifest === undefined ? answer.detail : await onWell(this.#target, answer.manifest);
      if (failure !== undefined) this.#fail(failure);
    } finally {
      this.#checksAgainAt = performance.now() + CHECKED_EVERY_MS;
    }
  }

  #tryAfter(ms: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#try(), ms);
  }

  async #try(): Promise<void> {
    const { requests, onFailing } = this.#options;
    const answer = await requests.check(this.#target.url, this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    if (answer.manifest === undefined) {
      onFailing(this.#target, answer.detail);
      this.#tryAfter(this.#circuit.open());
      return;
    }
    void this.#options.onWell(this.#target, answer.manifest);
    this.#close();
  }

  /** The endpoint answers again. */
  #close(): void {
    clearTimeout(this.#retryTimer);
    this.#circuit.close();
    this.#answersSince = performance.now();
    this.#isBack();
    this.#receiver?.slotFreed();
  }

  /** L3. */
  async #giveBack(
    delivery: WorkflowDelivery,
    { sentAt }: RequestTimes,
    reason?: string,
    waitMs = 0,
  ): Promise<void> {
    const { worker } = this.#options.transport;
    const now = delivery.receivedAt + performance.now() - sentAt;
    const release: RunCommit = {
      ...toRelease(delivery),
      transition: {
        kind: "release",
        ...(reason === undefined ? {} : { reason: `${this.#shownUrl}: ${reason}` }),
        ...(waitMs === 0 ? {} : { resumeAt: Math.ceil(now + waitMs) }),
      },
    };
    await askPersistently(() => worker.commit([release]), {
      forMs: LEASE_MS,
      signal: this.#cutOff.signal,
    });
  }
}

/** How long a run waits that was refused, unless the answer asks for more. */
function leastWaitMs(
  about: (PushAnswer & { readonly kind: "refused" })["about"],
  { receivedAt, startedAt }: WorkflowDelivery,
): number {
  if (about !== "size") return REFUSED_FOR_MS;
  const { least, most } = TOO_LARGE_FOR_MS;
  return Math.min(most, Math.max(least, receivedAt - startedAt));
}
