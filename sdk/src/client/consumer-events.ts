/** Which message an event is about. */
export interface MessageFacts {
  readonly queue: string;
  readonly messageId: string;
  /** Deliveries so far, this one included. */
  readonly receiveCount: number;
}

/** What a consumer tells to logs, metrics, traces and tests. */
export interface ConsumerEvents {
  /** The handler is called with it. */
  messageStarted: MessageFacts;
  /** Its handler has returned, and it is deleted. */
  messageDone: MessageFacts & { readonly durationMs: number };
  /** Its handler has thrown, and it was given back: it is delivered again, or moves to the dead letter queue. */
  messageFailed: MessageFacts & {
    readonly durationMs: number;
    readonly error: unknown;
    readonly retryInMs: number;
  };
  /** Somebody else has deleted or received it before its handler was done. */
  messageLost: MessageFacts;
  /** It was given back without its handler's being called, or before it was done: the consumer stops. */
  messageReleased: MessageFacts;
  /** Something went wrong that is not a handler's own; the consumer goes on. */
  trouble: { readonly doing: string; readonly error: unknown };
}
