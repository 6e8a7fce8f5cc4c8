/** Sends spans by OTLP. The exporter is large, so it is loaded only if tracing is enabled. */

export interface TracingConfig {
  /** Base url, to which `/v1/traces` is added; undefined for that of the `OTEL_…` variables. */
  readonly endpoint: string | undefined;
  /** The name of the service, unless the environment gives one. */
  readonly service: string;
  readonly version: string;
}

/** Registers the tracer of this process. @returns A function that flushes spans and stops it. */
export async function startTracing({
  endpoint,
  service,
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
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
  const resource = resources
    .resourceFromAttributes({ "service.name": service, "service.version": version })
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return () => provider.shutdown();
}
