/** Spans of the tracer that an OpenTelemetry SDK has registered. Only `tracer.ts` and `when-traced.ts` load the API. */
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

/** The headers that propagate a trace; undefined without one. */
export function toHeaders(from: Context): TraceHeaders | undefined {
  const headers: Record<string, string> = {};
  propagation.inject(from, headers);
  return headers["traceparent"] === undefined ? undefined : headers;
}

/** The context of a propagated trace, for new spans. */
export const fromHeaders = (headers: Readonly<Record<string, unknown>> | undefined): Context =>
  headers === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);

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
