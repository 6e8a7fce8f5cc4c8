/**
 * Spans of the tracer that an OpenTelemetry SDK has registered. Only `tracer.ts` and `when-traced.ts` load the API.
 *
 * Samplers, span processors and propagators are code of the program, and may throw. No run or call fails by that: the error
 * goes to the diagnostics of OpenTelemetry, as those of exporters do.
 */
import { toErrorRecord } from "../core/error-record.ts";
import type { TraceHeaders } from "../protocol/trace-headers.ts";
import {
  type Context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  context,
  diag,
  propagation,
  trace,
} from "@opentelemetry/api";

const NAME = "oxbow";

export function safely<Value>(work: () => Value, otherwise: Value): Value {
  try {
    return work();
  } catch (error) {
    diag.error("oxbow: tracing", error);
    return otherwise;
  }
}

/** The proxy that the API returns before and after a provider is registered. */
interface ProxyProvider {
  getDelegateTracer(name: string): Tracer | undefined;
}

export function activeTracer(): Tracer | undefined {
  const provider: unknown = trace.getTracerProvider();
  // The API's own tracer would create an ineffective span at every step.
  return isProxy(provider)
    ? provider.getDelegateTracer(NAME)
    : (provider as ReturnType<typeof trace.getTracerProvider>).getTracer(NAME);
}

const isProxy = (provider: unknown): provider is ProxyProvider =>
  typeof provider === "object" && provider !== null && "getDelegateTracer" in provider;

/** Starts a span. If that fails, what is done in it belongs to the span above. */
export const startSpan = (
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  above: Context,
): Span =>
  safely(
    () => tracer.startSpan(name, options, above),
    trace.wrapSpanContext(trace.getSpanContext(above) ?? INVALID_SPAN_CONTEXT),
  );

/** @param at By the wall clock. Default: now. */
export const endSpan = (span: Span, at?: number): void => safely(() => span.end(at), undefined);

/** The headers that propagate a trace; undefined without one. */
export function toHeaders(from: Context): TraceHeaders | undefined {
  const headers: Record<string, string> = {};
  safely(() => propagation.inject(from, headers), undefined);
  return headers["traceparent"] === undefined ? undefined : headers;
}

/** The context of a propagated trace, for new spans. */
export const fromHeaders = (headers: Readonly<Record<string, unknown>> | undefined): Context =>
  headers === undefined
    ? ROOT_CONTEXT
    : safely(() => propagation.extract(ROOT_CONTEXT, headers), ROOT_CONTEXT);

/** As in `tracer.ts`. */
export async function inSpan<Value>(
  name: "workflow.start" | "workflow.signal",
  attributes: Readonly<Record<string, string | number | undefined>>,
  work: (headers: TraceHeaders | undefined, span: Span | undefined) => Promise<Value>,
  parent?: Readonly<Record<string, unknown>>,
): Promise<Value> {
  const tracer = activeTracer();
  if (tracer === undefined) return work(undefined, undefined);
  const above = parent === undefined ? context.active() : fromHeaders(parent);
  const span = startSpan(tracer, name, { kind: SpanKind.PRODUCER, attributes }, above);
  const within = trace.setSpan(above, span);
  try {
    return await context.with(within, () => work(toHeaders(within), span));
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    endSpan(span);
  }
}

/** @param error What was thrown, or its record. */
export const failSpan = (span: Span, error: unknown): void =>
  safely(() => {
    const record = toErrorRecord(error);
    span.recordException(error instanceof Error ? error : record);
    span.setStatus({ code: SpanStatusCode.ERROR, message: record.message });
  }, undefined);

/** As in `tracer.ts`. */
export function withTrace<Headers extends object>(
  headers: Headers | null | undefined,
): Headers | TraceHeaders | null | undefined {
  // The send rejects headers that are not an object.
  if (activeTracer() === undefined || typeof (headers ?? {}) !== "object") return headers;
  if (Array.isArray(headers)) return headers;
  const own = toHeaders(context.active());
  return own === undefined ? headers : { ...own, ...headers };
}

/** As in `tracer.ts`. */
export function activeTrace(): { readonly traceId: string; readonly spanId: string } | undefined {
  const found = trace.getActiveSpan()?.spanContext();
  return found === undefined ? undefined : { traceId: found.traceId, spanId: found.spanId };
}
