/** Requests that are part of a trace: what they start goes on in it. */
import { fromHeaders, inSpan, type TraceHeaders } from "@oxbow/sdk/internal";
import type { IncomingHttpHeaders } from "node:http";

const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
/** What W3C asks everybody to pass on. */
const MOST_STATE = 512;

/** What the headers of a request say; undefined where they say nothing, or nonsense. */
export function incomingTrace(headers: IncomingHttpHeaders): TraceHeaders | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== "string" || !TRACE_PARENT.test(traceparent)) return undefined;
  return typeof tracestate === "string" && tracestate.length <= MOST_STATE
    ? { traceparent, tracestate }
    : { traceparent };
}

type Facts = Readonly<Record<string, string | number | undefined>>;

/** Starts runs with the trace to go on with: the request's, beneath a span where this server traces. */
export function startTraced<Value>(
  headers: IncomingHttpHeaders,
  facts: Facts,
  start: (trace: TraceHeaders | undefined) => Promise<Value>,
): Promise<Value> {
  const incoming = incomingTrace(headers);
  return inSpan("workflow.start", facts, (own) => start(own ?? incoming), fromHeaders(incoming));
}

/** Sends a signal in a span, where the request is part of a trace; the SDK has made its own. */
export function signalTraced<Value>(
  headers: IncomingHttpHeaders,
  facts: Facts,
  signal: () => Promise<Value>,
): Promise<Value> {
  const incoming = incomingTrace(headers);
  return incoming === undefined
    ? signal()
    : inSpan("workflow.signal", facts, signal, fromHeaders(incoming));
}
