/** Traces if an OpenTelemetry SDK has registered a tracer. Without one, nothing is loaded, traced or stored. */
import type { Span } from "@opentelemetry/api";
import type { TraceHeaders } from "../protocol/trace-headers.ts";
import { WhenTraced } from "./when-traced.ts";

const spans = new WhenTraced(() => import("./spans.ts"));

/**
 * Runs work in a span, and passes it the headers that propagate the span. Without a tracer there are no headers: a trace that
 * is not recorded is not worth its row.
 *
 * @param parent Headers that propagate the trace above, if they have one. Default: that of the active span.
 */
export async function inSpan<Value>(
  name: "workflow.start" | "workflow.signal",
  attributes: Readonly<Record<string, string | number | undefined>>,
  work: (headers: TraceHeaders | undefined, span: Span | undefined) => Promise<Value>,
  parent?: Readonly<Record<string, unknown>>,
): Promise<Value> {
  const loading = spans.load();
  if (loading !== undefined) await loading;
  const traced = spans.module?.inSpan(name, attributes, work, parent);
  return traced ?? work(undefined, undefined);
}

/** Adds the headers of the active trace to those of a message, unless it has its own. */
export async function withTrace<Headers extends object>(
  headers: Headers | null | undefined,
): Promise<Headers | TraceHeaders | null | undefined> {
  const loading = spans.load();
  if (loading !== undefined) await loading;
  return spans.module === undefined ? headers : spans.module.withTrace(headers);
}

/** Ids of the active span, for logs. */
export const activeTrace = (): { readonly traceId: string; readonly spanId: string } | undefined =>
  spans.module?.activeTrace();
