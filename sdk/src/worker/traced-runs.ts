/** The tracing of runs: see run-tracing.ts. */
import { WhenTraced } from "../telemetry/when-traced.ts";

export const tracedRuns = new WhenTraced(() => import("./run-tracing.ts"));
