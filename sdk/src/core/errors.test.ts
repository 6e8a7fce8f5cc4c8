import { expect, it } from "vitest";
import {
  ConnectionFailed,
  DuplicateStepName,
  NondeterminismError,
  NotInstalled,
  OxbowError,
  RunCancelled,
  RunFailed,
  RunNotFound,
  SchemaVersionMismatch,
  SerializationError,
  StepFailed,
  StepAbandoned,
  StepTimeout,
} from "./errors.ts";
import { RetryAfterError } from "./retry-errors.ts";

it("an error has its class's name, a code, facts and a cause", () => {
  const cause = new Error("why");
  const error = new StepFailed({ runId: "7", step: "charge", attempts: 3, cause });
  expect(error).toBeInstanceOf(OxbowError);
  expect(String(error)).toBe('StepFailed: Step "charge" of run 7 failed after 3 attempts: why');
  expect(error.code).toBe("STEP_FAILED");
  expect(error.facts).toEqual({ runId: "7", step: "charge", attempts: 3 });
  expect(error.cause).toBe(cause);
  expect(new RunNotFound("gone")).not.toHaveProperty("cause");
});

it("the messages say what was tried, and what to do", () => {
  const messages = [
    new StepTimeout({ runId: "7", step: "a", timeoutMs: 50 }),
    new StepAbandoned({ runId: "7", step: "a" }),
    new DuplicateStepName({ runId: "7", step: "a" }),
    new NondeterminismError("7", "it differs"),
    new SerializationError("the input", "$.a", "is a BigInt"),
    new RunFailed({
      runId: "7",
      workflow: "w",
      error: { name: "TypeError", message: "no" },
      cause: new TypeError("no"),
    }),
    new RunCancelled({ runId: "7", workflow: "w", reason: "duplicate" }),
    new ConnectionFailed({ target: "db:5432", sent: true, cause: new Error("reset") }),
    new NotInstalled("db:5432/app"),
    new SchemaVersionMismatch({
      target: "db",
      installed: "0.1.0",
      installedProtocol: 1,
      supportedProtocol: 2,
    }),
    new RetryAfterError("30s"),
  ].map(String);
  expect(messages).toMatchInlineSnapshot(`
    [
      "StepTimeout: Step "a" of run 7 did not finish within 50 ms. Raise its \`timeout\`, or pass the signal of its callback on to what it calls.",
      "StepAbandoned: Step "a" of run 7 was abandoned.",
      "DuplicateStepName: Step name "a" is used a second time in run 7. Names are unique within a run; in a loop, make the item part of the name: step.run(\`a-\${item.id}\`, …).",
      "NondeterminismError: Run 7 does not follow its journal: it differs. Either the code of a version with runs in flight was changed (give the new code a new version), or the body depends on something outside its steps (time, randomness, a request): put that into a step.",
      "SerializationError: Cannot journal the input: $.a is a BigInt",
      "RunFailed: Run 7 of "w" failed: TypeError: no",
      "RunCancelled: Run 7 of "w" was cancelled: duplicate",
      "ConnectionFailed: Lost or could not reach db:5432: reset. It is unknown whether the request was carried out.",
      "NotInstalled: Oxbow is not installed in db:5432/app. Run \`oxbow migrate\`, or \`create extension oxbow\` there.",
      "SchemaVersionMismatch: Oxbow 0.1.0 in db speaks protocol 1, this SDK speaks 2. Run \`oxbow migrate\` of this version; where Oxbow is an extension, that runs ALTER EXTENSION oxbow UPDATE and SELECT queue.migrate().",
      "RetryAfterError: try again after 30s",
    ]
  `);
});
