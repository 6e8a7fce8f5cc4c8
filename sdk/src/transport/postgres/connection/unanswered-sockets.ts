/**
 * Sockets on which the other end has sent nothing yet, and when to give them up.
 *
 * A connection that was begun during a partition stays without an answer after it: its packets are sent again only after
 * seconds, or something in between keeps it. Promises:
 *   N1  While a socket has had no answer for a second, its target is asked by another one, every half a second.
 *   N2  Once a question is answered, after one that was not, older sockets are given up, so that their connections can be
 *       made again. A target that is only slow answers all questions: its sockets are left alone.
 *   N3  A question costs no session: the server answers it before it knows by whom it is asked.
 */
import { Socket } from "node:net";

const ASK_EVERY_MS = 500;
/** Without an answer for so long, a socket or a question is unanswered. */
const PATIENCE_MS = 1_000;

/** An SSLRequest of the protocol, which is answered by one byte. */
const QUESTION = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

/** A socket that knows its target, as the driver has given it. */
export class TargetedSocket extends Socket {
  readonly madeAt = performance.now();
  target: readonly never[] = [];

  override connect(...target: never[]): this {
    this.target = target;
    return super.connect(...(target as [never]));
  }
}

interface Target {
  /** When the questions that are under way were asked. */
  readonly pending: Set<number>;
  /** A question got no answer that was asked after the last one that did. */
  isDeaf: boolean;
  /** When the last question was asked that was answered. */
  answeredAt: number;
  /** Older sockets get no answer. */
  answersSince: number;
}

export class UnansweredSockets {
  readonly #waiting = new Set<TargetedSocket>();
  readonly #targets = new Map<string, Target>();
  #timer: NodeJS.Timeout | undefined;

  add(socket: TargetedSocket): void {
    this.#waiting.add(socket);
    this.#timer ??= setInterval(() => this.#look(), ASK_EVERY_MS).unref();
  }

  #look(): void {
    for (const socket of this.#waiting) {
      if (socket.destroyed || socket.bytesRead > 0) this.#waiting.delete(socket);
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    const asked = new Set<string>();
    for (const { madeAt, target } of this.#waiting) {
      const key = JSON.stringify(target);
      if (now - madeAt < PATIENCE_MS || asked.has(key)) continue;
      asked.add(key);
      this.#ask(key, target);
    }
    this.#giveUp();
  }

  #ask(key: string, target: readonly never[]): void {
    const known = this.#targets.get(key) ?? {
      pending: new Set(),
      isDeaf: false,
      answeredAt: 0,
      answersSince: 0,
    };
    this.#targets.set(key, known);
    const askedAt = performance.now();
    const question = new Socket();
    known.pending.add(askedAt);
    const end = (isAnswered: boolean): void => {
      clearTimeout(patience);
      question.destroy();
      known.pending.delete(askedAt);
      if (isAnswered) this.#answered(known, askedAt);
      else known.isDeaf ||= askedAt > known.answeredAt;
    };
    const patience = setTimeout(end, PATIENCE_MS, false);
    question.once("data", () => end(true));
    question.once("error", () => end(false));
    question.connect(...(target as readonly [never]));
    question.write(QUESTION);
    question.unref();
    patience.unref();
  }

  #answered(target: Target, askedAt: number): void {
    // Half a second later or more, so an older one should have been answered before.
    const isOvertaking = [...target.pending].some((other) => other < askedAt);
    target.answeredAt = Math.max(target.answeredAt, askedAt);
    if (!target.isDeaf && !isOvertaking) return;
    target.isDeaf = false;
    target.answersSince = askedAt;
    this.#giveUp();
  }

  #giveUp(): void {
    const youngest = performance.now() - ASK_EVERY_MS;
    for (const socket of this.#waiting) {
      const { madeAt, target, bytesRead } = socket;
      const { answersSince = 0 } = this.#targets.get(JSON.stringify(target)) ?? {};
      if (bytesRead > 0 || madeAt >= answersSince || madeAt > youngest) continue;
      this.#waiting.delete(socket);
      socket.destroy(new Error("Connection terminated: it has had no answer"));
    }
  }
}
