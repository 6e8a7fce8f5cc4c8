/**
 * Calls of models as an OpenTelemetry SDK sees them, if the process has one. A replay makes no call, and is not seen.
 * Names of spans, attributes and metrics are those of the semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
import { type Attributes, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Metered } from "./prices.ts";

const NAME = "@oxbow/ai";

/** The parts of an answer that describe it. */
interface Facts {
  readonly id?: string | undefined;
  readonly modelId?: string | undefined;
}

/** Notes what a call has returned so far. */
type Seen = (
  answer: Metered & { readonly finishReason?: { readonly unified: string } },
  facts?: Facts,
) => void;

/** Makes one call in a span. */
export function observed<Answer>(
  { provider, modelId }: { readonly provider: string; readonly modelId: string },
  call: (seen: Seen) => Promise<Answer>,
): Promise<Answer> {
  const model: Attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider.split(".")[0] ?? provider,
    "gen_ai.request.model": modelId,
  };
  const options = { kind: SpanKind.CLIENT, attributes: model };
  return trace.getTracer(NAME).startActiveSpan(`chat ${modelId}`, options, async (span) => {
    const meter = metrics.getMeter(NAME);
    const began = performance.now();
    let failure: string | undefined;
    try {
      return await call(({ usage, finishReason }, facts) => {
        const tokens = { input: usage?.inputTokens.total, output: usage?.outputTokens.total };
        span.setAttributes({
          "gen_ai.response.id": facts?.id,
          "gen_ai.response.model": facts?.modelId,
          "gen_ai.response.finish_reasons": finishReason && [finishReason.unified],
          "gen_ai.usage.input_tokens": tokens.input,
          "gen_ai.usage.output_tokens": tokens.output,
        });
        const used = meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
        for (const [type, count] of Object.entries(tokens)) {
          if (count !== undefined) used.record(count, { ...model, "gen_ai.token.type": type });
        }
      });
    } catch (error) {
      failure = error instanceof Error ? error.name : "_OTHER";
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      const failed = failure === undefined ? {} : { "error.type": failure };
      span.setAttributes(failed);
      span.end();
      meter
        .createHistogram("gen_ai.client.operation.duration", { unit: "s" })
        .record((performance.now() - began) / 1_000, { ...model, ...failed });
    }
  });
}
