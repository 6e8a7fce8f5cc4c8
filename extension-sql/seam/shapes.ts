/**
 * The composite types whose rows users see, and what differs from the rule: a field has the name of its column in camel
 * case, the type that the SDK reads it as, and the comment of the column.
 */

export interface FieldRule {
  /** Name of the field. */
  readonly as?: string;
  /** TypeScript type, where the SDK makes more of a column than the driver does. */
  readonly type?: string;
  /** Names the type of a column that has only some texts, and documents it. */
  readonly alias?: { readonly name: string; readonly about: string };
  /** False if the SDK replaces null. */
  readonly isNullable?: false;
  /** The field may be absent, and answers show it only where a route adds it. */
  readonly isOptional?: true;
  /** Schema of the field in answers. */
  readonly schema?: string;
}

export interface Shape {
  /** The composite type. */
  readonly of: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
}

/** Shapes that share the types of their fields, and the file of each layer that has them. */
export interface ShapeRoom {
  readonly types: string;
  /** Import statements of `types`. */
  readonly imports: readonly string[];
  readonly schemas: string;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const STATUS: FieldRule = {
  alias: { name: "RunStatus", about: "How a run ended, or that it has not." },
  schema: "RunStatus",
};
const ACTIVITY: FieldRule = {
  alias: { name: "RunActivity", about: "The activity of a running run." },
  // Clients of this version must read the activities of later ones.
  schema: "Type.String",
};
const ERROR: FieldRule = { type: "ErrorRecord" };
const VALUE: FieldRule = { isOptional: true };

/** The first comment on a column documents it in all shapes that have it. */
export const SHAPES: readonly ShapeRoom[] = [
  {
    types: "sdk/src/protocol/run-shapes.ts",
    imports: [
      `import type { ErrorRecord } from "../core/error-record.ts";`,
      `import type { FailedAttempt, StepInProgress } from "./journal.ts";`,
    ],
    schemas: "server/src/routes/runs/fields.ts",
    shapes: {
      RunState: {
        of: "workflow_state",
        about: "A run as `runs.get` returns it.",
        fields: {
          status: STATUS,
          activity: ACTIVITY,
          error: ERROR,
          waits: { type: "readonly unknown[]", isNullable: false },
          retries: { type: "readonly unknown[]", isNullable: false },
          in_progress: { type: "readonly StepInProgress[]", isNullable: false },
          failures: { type: "readonly FailedAttempt[]", isNullable: false },
          parent_run_id: { as: "parent" },
        },
      },
      RunSummary: {
        of: "workflow_summary",
        about: "A run as `runs.list` returns it.",
        fields: {
          status: STATUS,
          error: ERROR,
          input: VALUE,
          output: VALUE,
          activity: ACTIVITY,
          parent_run_id: { as: "parent" },
        },
      },
      ChildRun: {
        of: "workflow_child",
        about: "A run that a step of another run has started.",
        fields: { status: STATUS, parent_step: { as: "step" } },
      },
      RunGeneration: {
        of: "generation_info",
        about: "What a run executed between two calls of `ctx.continueAsNew`.",
        fields: {},
      },
    },
  },
];
