/** Continues the traces of requests. */
import { inSpan, type TraceHeaders } from "@oxbow/sdk/internal/server";
import type { IncomingHttpHeaders } from "node:http";

const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
/** The length that W3C requires to be propagated. */
const MOST_STATE = 512;

/** The trace in the headers of a request; undefined if it is missing or invalid. */
export function incomingTrace(headers: IncomingHttpHeaders): TraceHeaders | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string" || !TRACE_PARENT.test(traceparent)) return undefined;
  return typeof tracestate === "string" && tracestate.length <= MOST_STATE
    ? { traceparent, tracestate }
    : { traceparent };
}

type Facts = Readonly<Record<string, string | number | undefined>>;

/** Starts runs in the trace of the request, under a span if this server traces. */
export function startTraced<Value>(
  headers: IncomingHttpHeaders,
  facts: Facts,
  start: (trace: TraceHeaders | undefined) => Promise<Value>,
): Promise<Value> {
  const incoming = incomingTrace(headers);
  return inSpan("workflow.start", facts, (own) => start(own ?? incoming), incoming ?? {});
}

/** Sends a signal in a span if the request has a trace; otherwise the SDK makes a span. */
export function signalTraced<Value extends { readonly workflow: string }>(
  headers: IncomingHttpHeaders,
  facts: Facts,
  signal: () => Promise<Value>,
): Promise<Value> {
  const incoming = incomingTrace(headers);
  if (incoming === undefined) return signal();
  return inSpan(
    "workflow.signal",
    facts,
    async (_headers, span) => {
      const signalled = await signal();
      span?.setAttribute("workflow.name", signalled.workflow);
      return signalled;
    },
    incoming,
  );
}
