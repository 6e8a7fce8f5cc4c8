/** Requests for approval in responses. */
import { Type } from "typebox";
import { about, Closed, Id, Instant, nonEmpty, Nullable, oneOf } from "../../http/schemas.ts";

const Verdict = oneOf(["approved", "rejected"]);

export const Status = oneOf(["waiting", "approved", "rejected", "expired", "withdrawn"]);

const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: "The fields that the person filled in.",
});

export const ShownApproval = Type.Object({
  id: Id,
  runId: Id,
  workflow: Type.String(),
  step: Type.String({
    description: "The step that waits; of a declared workflow, the path of the node.",
  }),
  status: about(Status, "withdrawn: the run has ended, or no longer waits."),
  title: Type.String({ description: "The question." }),
  description: Nullable(Type.String()),
  form: Nullable(Type.Unknown({ description: "JSON Schema of what approvers fill in." })),
  approvers: Nullable(
    Type.Array(Type.String(), {
      description: "People and groups who may decide; null for everyone with the scope approve.",
    }),
  ),
  quorum: Type.Integer({ description: "How many must approve." }),
  rejections: Type.Integer({ description: "How many must reject." }),
  excludesStarter: Type.Boolean({
    description: "Whether the people who started the run can't decide.",
  }),
  requestedAt: Instant,
  expiresAt: Nullable(about(Instant, "When it expires; null for never.")),
  endedAt: Nullable(Instant),
  decisions: Type.Array(
    Type.Object({ actor: Type.String(), decision: Verdict, values: Values, at: Instant }),
    { description: "In the order of time." },
  ),
});

export const DecisionBody = Closed({
  decision: Verdict,
  values: Type.Optional(Values),
  groups: Type.Optional(
    Type.Array(nonEmpty(256), {
      maxItems: 1_000,
      description:
        "Groups of the person whom Oxbow-Actor names. Those of a signed-in user are the user's roles.",
    }),
  ),
});

export const Outcome = Type.Object({
  outcome: oneOf(
    ["delivered", "counted", "decided", "expired"],
    "delivered: the request ended with this decision, and the run continues. counted: others must decide too. decided: this person, or enough others, decided before. expired: the request timed out or was withdrawn.",
  ),
});
