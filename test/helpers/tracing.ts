/** Registers an OpenTelemetry SDK in this process, as an application does. */
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector } from "@opentelemetry/resources";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";

/** `endpoint`: of an OTLP receiver. The service's name is that of `OTEL_SERVICE_NAME`. */
export function registerTracing(endpoint: string): NodeTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: detectResources({ detectors: [envDetector] }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  provider.register();
  return provider;
}
