/**
 * The effects of an execution, in their order. Effects that are asked for while others happen come behind them, so that
 * they neither nest nor overtake. One that isn't known yet holds the queue at its place, since what comes later may depend
 * on it.
 */

/** Returns HELD if it isn't known yet, and has to be repeated. */
type Effect = () => typeof HELD | void;

export const HELD = Symbol("held");

const DONE: Effect = () => {};

export class EffectQueue {
  readonly #effects: Effect[] = [];
  /** The place of the effect that happens now. */
  #at = 0;
  #isBusy = false;
  /** What a deferred effect asks for takes its place. */
  #inPlace: Effect[] | undefined;

  /** Whether an effect isn't known yet. */
  get isHeld(): boolean {
    return this.#effects.length > 0;
  }

  add(effect: Effect): void {
    if (this.#inPlace !== undefined) {
      this.#inPlace.push(effect);
      return;
    }
    this.#effects.push(effect);
    this.proceed();
  }

  /** @param decide Asks for the effects that belong here, if it returns true; called again as long as it returns false. */
  defer(decide: () => boolean): void {
    this.add(() => {
      const inPlace: Effect[] = [];
      this.#inPlace = inPlace;
      const isKnown = decide();
      this.#inPlace = undefined;
      for (const effect of inPlace) effect();
      return isKnown ? undefined : HELD;
    });
  }

  /** Puts the rest of the effect that happens now before all others. */
  continueWith(effect: Effect): void {
    this.#effects.splice(this.#at + 1, 0, effect);
  }

  /** Lets all effects happen up to one that isn't known. */
  proceed(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#at = 0;
    try {
      // Effects are added while the loop runs.
      for (const effect of this.#effects) {
        if (effect() === HELD) return;
        // Frees the iteration that it refers to before the loop is over.
        this.#effects[this.#at] = DONE;
        this.#at += 1;
      }
    } catch (error) {
      this.#at = this.#effects.length;
      throw error;
    } finally {
      this.#effects.splice(0, this.#at);
      this.#isBusy = false;
    }
  }
}
