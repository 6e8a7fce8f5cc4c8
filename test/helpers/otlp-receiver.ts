/** The target of a trace exporter: a real HTTP server that takes OTLP as JSON, and keeps the spans. */
import { json } from "node:stream/consumers";
import { serveHttp } from "./http-server.ts";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly service: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly events: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface OtlpReceiver {
  /** Base url, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Headers of the requests. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
        readonly status?: { readonly code?: number };
        readonly events?: readonly { readonly name: string }[];
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
      }[];
    }[];
  }[];
}

/** Starts a receiver; it stops at the end of the file. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const url = await serveHttp((request, response) => {
    void json(request).then((body) => {
      headers.push(request.headers);
      if (request.url === "/v1/traces") spans.push(...spansOf(body as Export));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  return { url, spans, headers };
}

const spansOf = ({ resourceSpans }: Export): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId === "" ? undefined : span.parentSpanId,
        service: String(toRecord(resource.attributes)["service.name"]),
        attributes: toRecord(span.attributes),
        isError: span.status?.code === 2,
        events: (span.events ?? []).map(({ name }) => name),
        startedAt: Number(span.startTimeUnixNano) / 1_000_000,
        endedAt: Number(span.endTimeUnixNano) / 1_000_000,
      })),
    ),
  );

const toRecord = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
