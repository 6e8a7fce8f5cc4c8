/** Sends spans by OTLP. What it takes is loaded only where it is wanted, since it is heavy. */

export interface TracingConfig {
  /** Base url, to which `/v1/traces` is added; undefined: what the `OTEL_…` variables say. */
  readonly endpoint: string | undefined;
  readonly version: string;
}

/** Registers the tracer of this process. @returns What sends the rest and ends it. */
export async function startTracing({
  endpoint,
  version,
}: TracingConfig): Promise<() => Promise<void>> {
  const [{ OTLPTraceExporter }, { BatchSpanProcessor, NodeTracerProvider }, resources] =
    await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/sdk-trace-node"),
      import("@opentelemetry/resources"),
    ]);
  const exporter = new OTLPTraceExporter(
    endpoint === undefined ? {} : { url: `${endpoint.replace(/\/$/, "")}/v1/traces` },
  );
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last, and win.
  const resource = resources
    .resourceFromAttributes({ "service.name": "oxbow-server", "service.version": version })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return () => provider.shutdown();
}
