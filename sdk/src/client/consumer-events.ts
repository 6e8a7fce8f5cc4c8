/** The message of an event. */
export interface MessageFacts {
  readonly queue: string;
  readonly messageId: string;
  /** Deliveries so far, this one included. */
  readonly receiveCount: number;
}

/** The events of a consumer. */
export interface ConsumerEvents {
  /** The handler is called with the message. */
  messageStarted: MessageFacts;
  /** The handler has returned, and the message is deleted. */
  messageDone: MessageFacts & { readonly durationMs: number };
  /** The handler has thrown, and the message was given back: it is delivered again, or moves to the dead letter queue. */
  messageFailed: MessageFacts & {
    readonly durationMs: number;
    readonly error: unknown;
    readonly retryInMs: number;
  };
  /** The message was deleted, or received by another consumer, before its handler finished. */
  messageLost: MessageFacts;
  /** The consumer stops: the message was released before its handler was called or had finished. */
  messageReleased: MessageFacts;
  /** An operation of the consumer itself failed; the consumer continues. */
  trouble: { readonly doing: string; readonly error: unknown };
}
