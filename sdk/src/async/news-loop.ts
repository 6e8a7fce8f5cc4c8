/**
 * Work that is done again whenever there is news, and never within itself. Each round of each run rests once, so this calls
 * back: a promise for each rest, and one for each wait of the work, took a third of a busy worker's time.
 */
import { LONGEST_TIMER_MS } from "./timer.ts";
import type { Turns } from "./turns.ts";

/** The work continues in the next turn of the event loop. News waits until then. */
export const NEXT_TURN = Symbol("next turn");

/** How long to rest, in milliseconds; undefined until there is news. */
export type Rest = number | undefined;

export class NewsLoop {
  readonly #turns: Turns;
  readonly #work: () => Rest | typeof NEXT_TURN;
  readonly #resume = (): void => this.#run();
  #hasNews = false;
  #isResting = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(turns: Turns, work: () => Rest | typeof NEXT_TURN) {
    this.#turns = turns;
    this.#work = work;
  }

  /** News has come since the work last began. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** There is news. The work begins now, in the async context of the caller, unless it is under way. */
  wake(): void {
    this.#hasNews = true;
    if (this.#isResting) this.#run();
  }

  /** There is news, and the caller is not a part of the work: it begins in the next turn. */
  wakeSoon(): void {
    this.#hasNews = true;
    if (this.#isResting) this.#runSoon();
  }

  #run(): void {
    this.#isResting = false;
    this.#stopTimer();
    let rest: Rest | typeof NEXT_TURN;
    do {
      this.#hasNews = false;
      rest = this.#work();
    } while (this.#hasNews && rest !== NEXT_TURN);
    if (rest === undefined) this.#isResting = true;
    else if (rest === NEXT_TURN || rest <= 0) this.#runSoon();
    else {
      this.#isResting = true;
      this.#timer = setTimeout(this.#resume, Math.min(rest, LONGEST_TIMER_MS));
    }
  }

  #runSoon(): void {
    this.#isResting = false;
    this.#stopTimer();
    this.#turns.next(this.#resume);
  }

  #stopTimer(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
