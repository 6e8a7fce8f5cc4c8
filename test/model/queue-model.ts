/**
 * The behaviour of a queue, in memory and without cleverness: no heads, no indexes, no SQL. The message of a group
 * that is receivable is found by looking at all of them.
 *
 * Transactions are modelled by rows with a committed version and at most one pending one, whose owner holds the
 * row. A call is a generator that yields the session which it waits for. Time is given from outside, in whole
 * seconds; each reading of the clock is a little later than the one before, as in the real world.
 */

export type SessionName = "ann" | "bob" | "cyd";
export type QueueName = "work" | "letters";

/** Stands for a receipt, which only the real queue can make. */
export type Token = number;

export interface QueueSettings {
  readonly kind: "standard" | "fifo";
  readonly visibilityTimeout: number;
  /** Null for ever. Otherwise the letters are the dead letter queue. */
  readonly maxReceives: number | null;
}

interface Message {
  readonly n: number;
  readonly type: string;
}

type Headers = Readonly<Record<string, unknown>> | null;

export interface Outgoing {
  readonly message: Message;
  readonly headers: Headers;
}

export interface ModelDelivery {
  readonly token: Token;
  readonly content: {
    readonly id: number;
    readonly readCt: number;
    readonly enqueuedAt: number;
    readonly visibleAt: number;
    readonly group: string | null;
    readonly message: Message;
    readonly headers: Headers;
  };
}

export interface ModelStatistics {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly groups: number | null;
  readonly totalSent: number;
  readonly oldestAge: number | null;
}

/** A call under way: names the calls that it waits for, until it has its result. */
export type Call<Result> = Iterator<SessionName, Result, void>;

/** A call of the model, or a part of one, that may have to wait. */
type Waiting<Result> = Generator<SessionName, Result, void>;

/** A call that never waits. */
export const atOnce = <Result>(work: () => Result): Call<Result> => ({
  next: () => ({ done: true, value: work() }),
});

export type Outcome<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "waits"; readonly for: SessionName };

interface Version {
  readonly visibleAt: number;
  /** Token of the latest delivery; null before the first. */
  readonly token: Token | null;
  readonly readCt: number;
  /** How many deliveries don't count. */
  readonly spared: number;
  /** Received by itself: the delivery counts, even if its consumer is never heard of again. */
  readonly isAlone: boolean;
  /** The consumer has set when the message becomes visible: the delivery counts. */
  readonly isTold: boolean;
  /** Since when it is a tombstone: it is acknowledged, but who comes next is not known yet. */
  readonly deletedAt: number | null;
}

/** The state that sessions change: as all see it, and as its holder sees it. */
interface Held<Value> {
  committed: Value | undefined;
  pending?: { readonly by: SessionName; readonly value: Value | undefined } | undefined;
}

interface Row extends Held<Version> {
  readonly id: number;
  readonly enqueuedAt: number;
  readonly group: string | null;
  readonly message: Message;
  readonly headers: Headers;
}

interface Remembered {
  readonly expiresAt: number;
  readonly id: number;
}

interface State {
  now: number;
  lastToken: Token;
  readonly lastId: Record<QueueName, number>;
  readonly rows: Record<QueueName, Row[]>;
  /** Remembered sends by queue and deduplication id. */
  readonly remembered: Map<string, Held<Remembered>>;
  /** Queues that have had a suspect. */
  readonly suspected: Record<QueueName, Held<true>>;
  /** Transactions by queue and group: senders hold the lock exclusively, and acknowledgements share it. */
  readonly groupHolders: Map<string, Map<SessionName, "alone" | "shared">>;
  /** The session of each queue and group that waits to send there, and goes before others who would share. */
  readonly groupWaiters: Map<string, SessionName>;
  /** The message that the call under way waits for. */
  awaited: { readonly queue: QueueName; readonly row: Row } | undefined;
  readonly inTransaction: Set<SessionName>;
}

const SECOND = 1_000_000;
/** When a receive looks again at a dead letter that an open transaction was in the way of. */
const RETRY = SECOND / 10;
/** The same of a tombstone, first and later. */
const FIRST_RETRY = SECOND / 200;
const LAST_RETRY = SECOND;
const DEDUPLICATION = 300 * SECOND;

export class QueueModel {
  readonly settings: Readonly<Record<QueueName, QueueSettings>>;
  /** Groups in the order in which a call that needs several locks them. */
  readonly groups: readonly string[];
  /** Receipts handed out, newest last. */
  readonly handedOut: { readonly queue: QueueName; readonly token: Token }[] = [];
  #state: State = {
    now: 0,
    lastToken: 0,
    lastId: { work: 0, letters: 0 },
    rows: { work: [], letters: [] },
    remembered: new Map(),
    suspected: { work: { committed: undefined }, letters: { committed: undefined } },
    groupHolders: new Map(),
    groupWaiters: new Map(),
    awaited: undefined,
    inTransaction: new Set(),
  };
  #waiting: { readonly session: SessionName; readonly call: Call<unknown> } | undefined;

  constructor(settings: Record<QueueName, QueueSettings>, groups: readonly string[]) {
    this.settings = settings;
    this.groups = groups;
  }

  // Sessions and time

  isInTransaction(session: SessionName): boolean {
    return this.#state.inTransaction.has(session);
  }

  isAnyInTransaction(): boolean {
    return this.#state.inTransaction.size > 0;
  }

  /** The session whose call has not returned yet. */
  waiting(): SessionName | undefined {
    return this.#waiting?.session;
  }

  /** Returns whether a call would wait, without making it. */
  wouldWait(session: SessionName, call: (model: QueueModel) => Call<unknown>): boolean {
    const trial = new QueueModel(this.settings, this.groups);
    trial.#state = structuredClone(this.#state);
    return trial.run(session, call).kind === "waits";
  }

  advance(seconds: number): void {
    this.#state.now += seconds * SECOND;
  }

  begin(session: SessionName): void {
    this.#state.inTransaction.add(session);
  }

  /**
   * Whether the end of a transaction may have two outcomes. Postgres gives back its locks one after the other: who
   * has waited for a message may continue before the group is free, and leave a tombstone without a successor.
   */
  isRace(session: SessionName, how: "commit" | "rollback"): boolean {
    const { awaited, groupHolders, rows } = this.#state;
    if (awaited === undefined || awaited.row.pending?.by !== session) return false;
    const { queue, row } = awaited;
    const remains = ({ committed, pending }: Row): boolean =>
      (how === "commit" && pending?.by === session ? pending.value : committed) !== undefined;
    return (
      groupHolders.get(`${queue} ${row.group}`)?.get(session) === "alone" &&
      !rows[queue].some((other) => other.group === row.group && other.id > row.id && remains(other))
    );
  }

  /** Ends a transaction. Waiting calls continue, and may end. */
  end(session: SessionName, how: "commit" | "rollback"): Outcome<unknown> | undefined {
    this.#state.inTransaction.delete(session);
    this.#release(session, how);
    if (this.#waiting === undefined) return undefined;
    return this.#goOn(this.#waiting.session, this.#waiting.call);
  }

  run<Result>(session: SessionName, call: (model: QueueModel) => Call<Result>): Outcome<Result> {
    return this.#goOn(session, call(this));
  }

  // Calls

  send(
    session: SessionName,
    queue: QueueName,
    batch: readonly Outgoing[],
    delay: number,
  ): number[] {
    const now = this.#tick();
    return batch.map((outgoing) => this.#insert(session, queue, null, outgoing, now, delay));
  }

  *sendFifo(
    session: SessionName,
    queue: QueueName,
    outgoing: Outgoing,
    group: string,
    deduplicationId: string | null,
    delay: number,
  ): Waiting<number> {
    yield* this.#lockGroups(session, queue, [group]);
    if (deduplicationId === null) {
      return this.#insert(session, queue, group, outgoing, this.#tick(), delay);
    }
    const key = `${queue} ${deduplicationId}`;
    const now = this.#tick();
    for (;;) {
      const holder = this.#state.remembered.get(key)?.pending?.by ?? session;
      if (holder === session) break;
      yield holder;
    }
    const known = this.#state.remembered.get(key) ?? { committed: undefined };
    this.#state.remembered.set(key, known);
    const seen = see(session, known);
    if (seen !== undefined && seen.expiresAt > now) {
      // Looking it up holds it.
      write(session, known, seen);
      return seen.id;
    }
    // First, so that it is not swept.
    write(session, known, { expiresAt: now + DEDUPLICATION, id: 0 });
    this.#sweep(session, now);
    const id = this.#insert(session, queue, group, outgoing, this.#tick(), delay);
    write(session, known, { expiresAt: now + DEDUPLICATION, id });
    return id;
  }

  receive(
    session: SessionName,
    queue: QueueName,
    max: number,
    visibilityTimeout: number | null,
    matching: string | null,
    suspects: number | null,
  ): ModelDelivery[] {
    const settings = this.settings[queue];
    const maxReceives = settings.maxReceives ?? Infinity;
    const lease = (visibilityTimeout ?? settings.visibilityTimeout) * SECOND;
    const isAlone = (max === 1 && suspects === null) || lease === 0;
    const deliveries: ModelDelivery[] = [];
    const delivered = new Set<Row>();
    const deliver = (row: Row, version: Version): void => {
      write(session, row, version);
      const { id, group, message, headers } = row;
      const { token, readCt } = version;
      if (token === null) throw new Error("A delivery has a receipt.");
      delivered.add(row);
      this.handedOut.push({ queue, token });
      const enqueuedAt = toSeconds(row.enqueuedAt);
      const visibleAt = toSeconds(version.visibleAt);
      deliveries.push({
        token,
        content: { id, readCt, enqueuedAt, visibleAt, group, message, headers },
      });
    };
    let mayTakeSuspect = (suspects ?? 1) > 0;
    let lookForSuspect = see(session, this.#state.suspected[queue]) === true;
    while (deliveries.length < max) {
      const now = this.#tick();
      const visibleAt = now + lease;
      if (mayTakeSuspect && lookForSuspect) {
        lookForSuspect = false;
        const suspect = this.#receivable(session, queue).find(
          (row) =>
            isApart(expectSeen(session, row)) &&
            isFree(session, row) &&
            (matching === null || row.message.type === matching),
        );
        if (suspect === undefined) continue;
        mayTakeSuspect = false;
        const before = expectSeen(session, suspect);
        const token = this.#newToken();
        deliver(suspect, {
          ...before,
          visibleAt,
          token,
          readCt: before.readCt + 1,
          spared: before.spared,
          isAlone: true,
          isTold: false,
        });
        continue;
      }
      const ready = this.#receivable(session, queue)
        .filter((row) => !delivered.has(row) && this.#isReady(session, row, now, matching))
        .toSorted((a, b) => expectSeen(session, a).visibleAt - expectSeen(session, b).visibleAt)
        .slice(0, max - deliveries.length);
      const undeliverable: Row[] = [];
      let putsApart = false;
      for (const row of ready) {
        const before = expectSeen(session, row);
        const isSilent = before.token !== null && before.deletedAt === null && !before.isTold;
        const spared = before.spared + Number(isSilent && !before.isAlone);
        const counted = before.readCt - spared;
        if (isSilent && spared >= 2 && counted < maxReceives && this.#maySuspect(session, queue)) {
          write(session, row, { ...before, visibleAt: Infinity, spared });
          lookForSuspect = true;
          putsApart = true;
          continue;
        }
        const after: Version = {
          ...before,
          visibleAt,
          token: this.#newToken(),
          readCt: before.readCt + 1,
          spared,
          isAlone,
          isTold: false,
        };
        if (before.deletedAt !== null || counted >= maxReceives) {
          write(session, row, after);
          undeliverable.push(row);
        } else {
          deliver(row, after);
        }
      }
      if (undeliverable.length === 0 && !putsApart) break;
      this.#clear(session, queue, undeliverable);
    }
    return deliveries;
  }

  *changeVisibility(
    session: SessionName,
    queue: QueueName,
    token: Token,
    timeout: number,
    isHeartbeat: boolean,
  ): Waiting<boolean> {
    const row = yield* this.#hold(session, queue, token);
    if (row === undefined) return false;
    // From when it is changed, however long that had to wait.
    const visibleAt = this.#tick() + timeout * SECOND;
    const before = expectSeen(session, row);
    write(session, row, { ...before, visibleAt, isTold: before.isTold || !isHeartbeat });
    return true;
  }

  /** Returns the tokens that were alive. */
  *delete(session: SessionName, queue: QueueName, tokens: readonly Token[]): Waiting<Token[]> {
    const calledAt = this.#tick();
    const alive = new Map<Token, Row>();
    for (const token of new Set(tokens)) {
      const row = yield* this.#hold(session, queue, token);
      if (row !== undefined) alive.set(token, row);
    }
    this.#deleteAll(session, queue, [...alive.values()], calledAt);
    return [...alive.keys()];
  }

  *redrive(session: SessionName, max: number): Waiting<number> {
    const now = this.#tick();
    let redriven = 0;
    for (;;) {
      const letters = this.#receivable(session, "letters")
        .filter((row) => this.#isRedrivable(session, row, now))
        .slice(0, max - redriven);
      if (letters.length === 0) return redriven;
      for (const letter of letters) {
        const token = this.#newToken();
        write(session, letter, { ...expectSeen(session, letter), token });
      }
      const messages = letters.filter((letter) => expectSeen(session, letter).deletedAt === null);
      const groups = messages.map((letter) => originOf(letter)?.message_group_id ?? null);
      yield* this.#lockGroups(session, "work", groups);
      const sentAt = this.#tick();
      for (const [index, { message, headers }] of messages.entries()) {
        const { dead_letter: _, ...rest } = headers ?? {};
        const kept = Object.keys(rest).length === 0 ? null : rest;
        this.#insert(session, "work", groups[index] ?? null, { message, headers: kept }, sentAt, 0);
      }
      redriven += messages.length;
      this.#deleteAll(session, "letters", letters, now + LAST_RETRY);
    }
  }

  purge(queue: QueueName): number {
    const rows = this.#state.rows[queue].splice(0);
    for (const key of this.#state.remembered.keys()) {
      if (key.startsWith(`${queue} `)) this.#state.remembered.delete(key);
    }
    return rows.filter(({ committed }) => committed?.deletedAt === null).length;
  }

  stats(session: SessionName, queue: QueueName): ModelStatistics {
    const now = this.#tick();
    const rows = this.#visibleTo(session, queue).filter(
      (row) => expectSeen(session, row).deletedAt === null,
    );
    const later = rows
      .map((row) => expectSeen(session, row))
      .filter((version) => version.visibleAt > now && !isApart(version));
    const inFlight = later.filter((version) => version.token !== null).length;
    const isFifo = this.settings[queue].kind === "fifo";
    return {
      visible: rows.length - later.length,
      inFlight,
      delayed: later.length - inFlight,
      groups: isFifo ? new Set(rows.map((row) => row.group)).size : null,
      totalSent: this.#state.lastId[queue],
      oldestAge:
        rows.length === 0 ? null : toSeconds(now - Math.min(...rows.map((row) => row.enqueuedAt))),
    };
  }

  nextVisibleAt(session: SessionName, queue: QueueName): number | null {
    const versions = this.#receivable(session, queue).map((row) => expectSeen(session, row));
    if (versions.some(isApart)) return toSeconds(this.#state.now);
    const times = versions.map(({ visibleAt }) => visibleAt);
    return times.length === 0 ? null : toSeconds(Math.min(...times));
  }

  // The parts of calls

  #tick(): number {
    this.#state.now += 1;
    return this.#state.now;
  }

  #newToken(): Token {
    this.#state.lastToken += 1;
    return this.#state.lastToken;
  }

  #insert(
    session: SessionName,
    queue: QueueName,
    group: string | null,
    { message, headers }: Outgoing,
    now: number,
    delay: number,
  ): number {
    this.#state.lastId[queue] += 1;
    const id = this.#state.lastId[queue];
    const row: Row = { id, enqueuedAt: now, group, message, headers, committed: undefined };
    const visibleAt = now + delay * SECOND;
    const unread = { readCt: 0, spared: 0, isAlone: false, isTold: false };
    write(session, row, { ...unread, visibleAt, token: null, deletedAt: null });
    this.#state.rows[queue].push(row);
    return id;
  }

  /** Lists messages by id. */
  #visibleTo(session: SessionName, queue: QueueName): Row[] {
    return this.#state.rows[queue]
      .filter((row) => see(session, row) !== undefined)
      .toSorted((a, b) => a.id - b.id);
  }

  /** Those whose turn it is: all, or of each group the oldest. */
  #receivable(session: SessionName, queue: QueueName): Row[] {
    const rows = this.#visibleTo(session, queue);
    if (this.settings[queue].kind === "standard") return rows;
    return rows.filter((row) => rows.find(({ group }) => group === row.group) === row);
  }

  #isReady(session: SessionName, row: Row, now: number, matching: string | null): boolean {
    const { visibleAt, deletedAt } = expectSeen(session, row);
    return (
      visibleAt <= now &&
      isFree(session, row) &&
      (deletedAt !== null || matching === null || row.message.type === matching)
    );
  }

  #isRedrivable(session: SessionName, row: Row, now: number): boolean {
    const { token, visibleAt, deletedAt } = expectSeen(session, row);
    return (
      isFree(session, row) &&
      (token === null || visibleAt <= now || visibleAt === Infinity) &&
      (deletedAt !== null || originOf(row) !== undefined)
    );
  }

  /** Whoever finds the first suspect of a queue notes that with the queue, unless another is about to. */
  #maySuspect(session: SessionName, queue: QueueName): boolean {
    const suspected = this.#state.suspected[queue];
    if (see(session, suspected) === true) return true;
    if (!isFree(session, suspected)) return false;
    write(session, suspected, true);
    return true;
  }

  #find(session: SessionName, queue: QueueName, token: Token): Row | undefined {
    return this.#state.rows[queue].find((row) => see(session, row)?.token === token);
  }

  /** The message of a receipt, once no other transaction holds it; undefined when the receipt is dead. */
  *#hold(session: SessionName, queue: QueueName, token: Token): Waiting<Row | undefined> {
    const row = this.#find(session, queue, token);
    if (row === undefined) return undefined;
    const hasToWait = !isFree(session, row);
    while (!isFree(session, row)) {
      this.#state.awaited = { queue, row };
      yield expectHolder(row);
    }
    this.#state.awaited = undefined;
    const version = see(session, row);
    if (version?.token === token) return row;
    // Postgres locks the row that it has waited for before it checks whether it still matches. A tombstone is a separate row.
    if (hasToWait && version?.deletedAt === null) write(session, row, version);
    return undefined;
  }

  *#lockGroups(
    session: SessionName,
    queue: QueueName,
    groups: readonly (string | null)[],
  ): Waiting<void> {
    for (const group of this.groups.filter((name) => groups.includes(name))) {
      const key = `${queue} ${group}`;
      for (;;) {
        const [other] = this.#othersOf(session, key);
        if (other === undefined) break;
        this.#state.groupWaiters.set(key, session);
        yield other;
      }
      this.#state.groupWaiters.delete(key);
      this.#holdersOf(key).set(session, "alone");
    }
  }

  /** Known by the lock of the group, which is tried anyway, or because another call waits behind the message. */
  #isNextKnown(session: SessionName, queue: QueueName, row: Row): boolean {
    if (row.group === null) return true;
    return (
      this.#tryLock(session, queue, row.group, "shared") || this.#isFollowed(session, queue, row)
    );
  }

  #isFollowed(session: SessionName, queue: QueueName, { group, id }: Row): boolean {
    return this.#visibleTo(session, queue).some((row) => row.group === group && row.id > id);
  }

  #tryLock(
    session: SessionName,
    queue: QueueName,
    group: string,
    how: "alone" | "shared",
  ): boolean {
    const key = `${queue} ${group}`;
    const holders = this.#holdersOf(key);
    if (holders.get(session) === "alone") return true;
    const others = this.#othersOf(session, key);
    const isAwaited = this.#state.groupWaiters.has(key);
    // The transactions that wait go first, even before one that shares the lock and wants it exclusively.
    const isGranted =
      how === "shared"
        ? others.every((other) => holders.get(other) === "shared") &&
          (holders.has(session) || !isAwaited)
        : others.length === 0 && !isAwaited;
    if (isGranted) holders.set(session, how);
    return isGranted;
  }

  #holdersOf(key: string): Map<SessionName, "alone" | "shared"> {
    const holders = this.#state.groupHolders.get(key) ?? new Map<SessionName, "alone" | "shared">();
    this.#state.groupHolders.set(key, holders);
    return holders;
  }

  #othersOf(session: SessionName, key: string): SessionName[] {
    return [...this.#holdersOf(key).keys()].filter((holder) => holder !== session);
  }

  #deleteAll(session: SessionName, queue: QueueName, rows: readonly Row[], retryAt: number): void {
    const now = this.#tick();
    const promoting = new Set<string>();
    for (const row of rows) {
      const isNextKnown = this.#isNextKnown(session, queue, row);
      write(
        session,
        row,
        isNextKnown ? undefined : this.#tombstone(expectSeen(session, row), now, retryAt),
      );
      if (isNextKnown && row.group !== null) promoting.add(row.group);
    }
    this.#promote(session, queue, promoting);
  }

  /** One that stays is looked at less and less often. */
  #tombstone(before: Version, now: number, retryAt: number): Version {
    const deletedAt = before.deletedAt ?? now;
    const at = Math.min(retryAt, now + Math.max((now - deletedAt) / 2, FIRST_RETRY));
    // Later on, many at the same time.
    const visibleAt = Math.max(now, at < now + RETRY ? at : Math.floor(at / RETRY) * RETRY);
    return { ...before, visibleAt, token: this.#newToken(), deletedAt };
  }

  /** Whoever comes next in these groups is ready from now on, not since it was sent. */
  #promote(session: SessionName, queue: QueueName, groups: ReadonlySet<string>): void {
    const now = this.#tick();
    for (const next of this.#receivable(session, queue)) {
      if (next.group === null || !groups.has(next.group)) continue;
      const before = expectSeen(session, next);
      write(session, next, { ...before, visibleAt: Math.max(before.visibleAt, now) });
    }
  }

  /** Messages that were received too often move to the letters; tombstones go for good. */
  #clear(session: SessionName, queue: QueueName, rows: readonly Row[]): void {
    const now = this.#tick();
    const visibleAt = now + RETRY;
    const dead = rows
      .filter((row) => expectSeen(session, row).deletedAt === null)
      .toSorted((a, b) => a.id - b.id);
    const isFifo = this.settings.letters.kind === "fifo";
    const stays = dead.filter(
      ({ group }) => isFifo && !this.#tryLock(session, "letters", group ?? "", "alone"),
    );
    for (const row of stays) {
      const before = expectSeen(session, row);
      const token = this.#newToken();
      const readCt = before.readCt - 1;
      write(session, row, { ...before, visibleAt, token, readCt, isAlone: true, isTold: false });
    }
    const sentAt = this.#tick();
    for (const row of dead.filter((letter) => !stays.includes(letter))) {
      const origin = {
        queue,
        reason: "max_receives",
        receives: expectSeen(session, row).readCt - 1,
        msg_id: row.id,
        ...(row.group === null ? {} : { message_group_id: row.group }),
      };
      const headers = { ...row.headers, dead_letter: origin };
      const { message, group } = row;
      this.#insert(session, "letters", isFifo ? group : null, { message, headers }, sentAt, 0);
    }
    this.#deleteAll(
      session,
      queue,
      rows.filter((row) => !stays.includes(row)),
      now + LAST_RETRY,
    );
  }

  /** A send with a deduplication id forgets up to two that have expired. */
  #sweep(session: SessionName, now: number): void {
    const expired = [...this.#state.remembered.values()]
      .filter(
        (known) => isFree(session, known) && (see(session, known)?.expiresAt ?? Infinity) <= now,
      )
      .toSorted((a, b) => (see(session, a)?.expiresAt ?? 0) - (see(session, b)?.expiresAt ?? 0));
    for (const known of expired.slice(0, 2)) write(session, known, undefined);
  }

  #goOn<Result>(session: SessionName, call: Call<Result>): Outcome<Result> {
    const step = call.next();
    if (step.done !== true) {
      this.#waiting = { session, call };
      return { kind: "waits", for: step.value };
    }
    if (this.#waiting?.session === session) this.#waiting = undefined;
    if (!this.isInTransaction(session)) this.#release(session, "commit");
    return { kind: "done", result: step.value };
  }

  #release(session: SessionName, how: "commit" | "rollback"): void {
    const { rows, remembered, suspected, groupHolders } = this.#state;
    for (const row of [...rows.work, ...rows.letters]) settle(session, row, how);
    for (const known of remembered.values()) settle(session, known, how);
    for (const known of Object.values(suspected)) settle(session, known, how);
    for (const holders of groupHolders.values()) holders.delete(session);
  }
}

function see<Value>(session: SessionName, held: Held<Value>): Value | undefined {
  return held.pending?.by === session ? held.pending.value : held.committed;
}

function isFree(session: SessionName, { pending }: Held<unknown>): boolean {
  return pending === undefined || pending.by === session;
}

function write<Value>(session: SessionName, held: Held<Value>, value: Value | undefined): void {
  held.pending = { by: session, value };
}

function settle<Value>(session: SessionName, held: Held<Value>, how: "commit" | "rollback"): void {
  if (held.pending?.by !== session) return;
  if (how === "commit") held.committed = held.pending.value;
  held.pending = undefined;
}

function expectSeen(session: SessionName, row: Row): Version {
  const version = see(session, row);
  if (version === undefined) throw new Error(`${session} does not see message ${row.id}.`);
  return version;
}

function expectHolder(row: Row): SessionName {
  if (row.pending === undefined) throw new Error(`No session holds message ${row.id}.`);
  return row.pending.by;
}

/** A suspect that waits to be received apart from the others. */
const isApart = ({ visibleAt }: Version): boolean => visibleAt === Infinity;

/** Where a dead letter comes from; undefined for what was sent to the letters by other means. */
function originOf({ headers }: Row): { readonly message_group_id?: string } | undefined {
  return headers?.["dead_letter"] as { readonly message_group_id?: string } | undefined;
}

const toSeconds = (time: number): number => Math.floor(time / SECOND);
