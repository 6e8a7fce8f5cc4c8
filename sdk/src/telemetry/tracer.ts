/**
 * The tracer of the process: the one that an OpenTelemetry SDK has registered. Where there is none, nothing is traced,
 * stored or allocated: who asks gets undefined.
 */
import type { TraceHeaders } from "../protocol/trace-headers.ts";
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  context,
  propagation,
  trace,
} from "@opentelemetry/api";

const NAME = "oxbow";

/** What the API hands out until a provider is registered, and afterwards in its place. */
interface ProxyProvider {
  getDelegateTracer(name: string): Tracer | undefined;
}

export function activeTracer(): Tracer | undefined {
  const provider: unknown = trace.getTracerProvider();
  // A tracer of the API itself would make a span that does nothing at every step.
  return isProxy(provider)
    ? provider.getDelegateTracer(NAME)
    : (provider as ReturnType<typeof trace.getTracerProvider>).getTracer(NAME);
}

const isProxy = (provider: unknown): provider is ProxyProvider =>
  typeof provider === "object" && provider !== null && "getDelegateTracer" in provider;

/** What tells others of a trace; undefined where there is nothing to tell. */
export function toHeaders(from: Context): TraceHeaders | undefined {
  const headers: Record<string, string> = {};
  propagation.inject(from, headers);
  return headers["traceparent"] === undefined ? undefined : headers;
}

/** The trace that headers tell of, as a context to begin spans in. */
export const fromHeaders = (headers: Readonly<Record<string, unknown>> | undefined): Context =>
  headers === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);

/**
 * Does something to a run, or starts one, in a span whose headers go along. Without a tracer it gets none: a trace
 * that nobody records isn't worth its row.
 */
export async function inSpan<Value>(
  name: "workflow.start" | "workflow.signal",
  attributes: Readonly<Record<string, string | number | undefined>>,
  work: (headers: TraceHeaders | undefined, span: Span | undefined) => Promise<Value>,
  parent?: Context,
): Promise<Value> {
  const tracer = activeTracer();
  if (tracer === undefined) return work(undefined, undefined);
  const above = parent ?? context.active();
  const span = tracer.startSpan(name, { kind: SpanKind.PRODUCER, attributes }, above);
  const within = trace.setSpan(above, span);
  try {
    return await context.with(within, () => work(toHeaders(within), span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

export function failSpan(span: Span, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Headers of a message with those of the trace that is active, unless it has its own. */
export function withTrace<Headers extends object>(
  headers: Headers | null | undefined,
): Headers | TraceHeaders | null | undefined {
  // What is no object is refused by whoever sends it.
  if (activeTracer() === undefined || typeof (headers ?? {}) !== "object") return headers;
  if (Array.isArray(headers)) return headers;
  const own = toHeaders(context.active());
  return own === undefined ? headers : { ...own, ...headers };
}

/** Ids of the active span, for logs. */
export function activeTrace(): { readonly traceId: string; readonly spanId: string } | undefined {
  const found = trace.getActiveSpan()?.spanContext();
  return found === undefined ? undefined : { traceId: found.traceId, spanId: found.spanId };
}
