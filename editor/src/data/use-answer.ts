import { useEffect, useState } from "react";
import { messageOf } from "./message-of.ts";

/** Neither while the read is under way, or if there is nothing to read. */
interface Answer<Value> {
  readonly value?: Value;
  /** Why the read has failed. */
  readonly message?: string;
}

const NOTHING: Answer<never> = {};

/** Reads once for each function: keep it between renders. The signal aborts when the answer is no longer wanted. */
export function useAnswer<Value>(
  read: (signal: AbortSignal) => Promise<Value> | undefined,
): Answer<Value> {
  const [answered, setAnswered] = useState<{ of: typeof read; answer: Answer<Value> }>();
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const set = (answer: Answer<Value>): void => {
      if (!signal.aborted) setAnswered({ of: read, answer });
    };
    read(signal)?.then(
      (value) => set({ value }),
      (error: unknown) => set({ message: messageOf(error) }),
    );
    return () => leaving.abort();
  }, [read]);
  return answered?.of === read ? answered.answer : NOTHING;
}
