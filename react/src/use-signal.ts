"use client";
import { SignalFailed, signalRun, type SignalRunOutcome } from "@oxbow/sdk/browser";
import type { EventsOf, Workflow } from "@oxbow/sdk/runtime";
import { useCallback, useEffect, useRef, useState } from "react";
import { requireAccess, type RunAccess, useAccess } from "./run-access.ts";

/** Sends an event to a run. */
export interface RunSignal<Payload = unknown> {
  /**
   * Sends the event, again for some seconds if no server answers. Resolves when it is sent or has failed.
   *
   * @throws TypeError for a payload that JSON can't hold.
   */
  readonly send: (payload?: Payload) => Promise<void>;
  readonly isSending: boolean;
  /** The outcome of the last event; undefined until one was sent. */
  readonly outcome: SignalRunOutcome | undefined;
  /** Why the last event was not sent; null if it was. */
  readonly failure: SignalFailed | null;
}

/** Names of the events that a workflow declares. */
type NameOf<Definition extends Workflow> = keyof EventsOf<Definition> & string;

/** The payload that the schema of an event takes. */
type PayloadOf<Definition extends Workflow, Name extends string> = NonNullable<
  EventsOf<Definition>[Name]["~standard"]["types"]
>["input"];

interface Sending extends Omit<RunSignal, "send"> {
  /** The event and the run that it is about. */
  readonly of: string;
}

const IDLE = { isSending: false, outcome: undefined, failure: null };

/**
 * Sends an event to a run from a page, such as an approval. Its token needs `signal:<event>`.
 *
 * @param runId Without one, `send` does nothing.
 * @throws Error without a url or a token.
 * @example
 * const { send, isSending } = useSignal<typeof onboardUser>(runId, "approved", { url, token });
 * return <button disabled={isSending} onClick={() => send({ by: "Ada" })}>Approve</button>;
 */
export function useSignal<
  Definition extends Workflow = Workflow,
  Name extends NameOf<Definition> = NameOf<Definition>,
>(
  runId: string | undefined,
  event: Name,
  options: RunAccess = {},
): RunSignal<PayloadOf<Definition, Name>> {
  const given = useAccess(options);
  const access = runId === undefined ? undefined : requireAccess(given, `useSignal("${runId}")`);
  const of = `${runId ?? ""} ${event}`;
  const [sending, setSending] = useState<Sending>();
  const newest = useRef(access);
  useEffect(() => {
    newest.current = access;
  });
  const send = useCallback(
    async (payload?: PayloadOf<Definition, Name>) => {
      const { current } = newest;
      if (current === undefined || runId === undefined) return;
      const { url, token } = current;
      const change = (state: Partial<Sending>): void => setSending({ ...IDLE, of, ...state });
      change({ isSending: true });
      try {
        const source = typeof token === "string" ? token : () => token(runId);
        change({ outcome: await signalRun(runId, event, payload, { url, token: source }) });
      } catch (error) {
        if (!(error instanceof SignalFailed)) {
          change({});
          throw error;
        }
        change({ failure: error });
      }
    },
    [runId, event, of],
  );
  const { isSending, outcome, failure } = sending?.of === of ? sending : IDLE;
  return { send, isSending, outcome, failure };
}
