/**
 * Lets a consumer have a suspect, a message that may have ended its last consumers, when the process has a place for one:
 * see protocol/suspects.ts.
 *
 * Owns the place while the consumer has the suspect.
 */
import {
  freeSuspect,
  hasPlace,
  isSingleSlot,
  openSlots,
  reserveSuspect,
} from "../protocol/suspects.ts";
import type { MessageDelivery } from "../protocol/queues.ts";
import type { ReceivedMessage } from "./message.ts";

export class SuspectTurn {
  /** The consumer has stopped. */
  readonly close: () => void;
  readonly #leaseMs: number;
  #receipt: string | undefined;

  /** @param slots how many messages the consumer can have at once */
  constructor(slots: number, leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.close = openSlots(slots);
  }

  /** How many suspects the consumer can receive; undefined if the database counts each death of this process. */
  get wanted(): 0 | 1 | undefined {
    if (isSingleSlot()) return undefined;
    return hasPlace(this.#leaseMs) ? 1 : 0;
  }

  /** Returns the suspect that has to be given back, because another consumer of the process has received one too. */
  begin(deliveries: readonly MessageDelivery[]): MessageDelivery | undefined {
    const suspect = deliveries.find(({ isSuspect }) => isSuspect);
    if (suspect === undefined || isSingleSlot()) return undefined;
    if (!reserveSuspect(this.#leaseMs)) return suspect;
    this.#receipt = suspect.receipt;
    return undefined;
  }

  /** The consumer no longer has these messages. */
  end(messages: readonly Pick<ReceivedMessage, "receipt">[]): void {
    if (!messages.some(({ receipt }) => receipt === this.#receipt)) return;
    this.#receipt = undefined;
    freeSuspect();
  }
}
