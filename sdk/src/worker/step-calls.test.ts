import { expect, it, vi } from "vitest";
import { LazyAbort } from "../async/lazy-abort.ts";
import { Emitter } from "../core/events.ts";
import type { WorkerEvents } from "./events.ts";
import { StepCalls } from "./step-calls.ts";

it.each([undefined, 60_000])(
  "the signal of a callback takes any number of listeners, with a timeout of %s",
  async (timeoutMs) => {
    const warn = vi.spyOn(process, "emitWarning");
    const calls = new StepCalls({
      facts: { workflow: "w", version: 1, runId: "1" },
      events: new Emitter<WorkerEvents>(),
      tracing: undefined,
      ofRun: new LazyAbort(),
    });
    const started = calls.start({
      name: "a",
      attempt: 1,
      callback: (signal) => {
        for (let n = 0; n < 20; n += 1) signal.addEventListener("abort", () => {});
      },
      isTx: false,
      takesSignal: true,
      timeoutMs,
    });
    await started.run();
    expect(warn).not.toHaveBeenCalled();
  },
);
