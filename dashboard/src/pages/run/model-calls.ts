/** Steps that call a language model, as `@oxbow/ai` names them. Pages of other runs load no more than this. */
import type { Run, Step } from "../../api/runs.ts";

const NAME = /^(?:stream|generate) [0-9a-f]{12}(?: #\d+)?$/;

export const isNameOfModelCall = (step: string): boolean => NAME.test(step);

/** Whether a run has called a model, or may be calling one: it answers a chat, and no answer is journaled yet. */
export const hasModelCalls = (run: Run, steps: readonly Step[]): boolean =>
  steps.some((step) => isModelCall(step)) ||
  run.inProgress.some(({ step }) => isNameOfModelCall(step)) ||
  (run.status !== "completed" && isChat(run.input));

/** Whether an input has messages as the pages of the AI SDK send them. */
function isChat(input: unknown): boolean {
  const { messages } = (input ?? {}) as { readonly messages?: unknown };
  const [first] = Array.isArray(messages) ? (messages as unknown[]) : [];
  const { role, parts } = (first ?? {}) as { readonly role?: unknown; readonly parts?: unknown };
  return typeof role === "string" && Array.isArray(parts);
}

/** Looks at the name and at the shape of the answer: other steps may have such a name. */
export function isModelCall({ name, kind, output, error }: Step): boolean {
  if (kind !== "run" || !isNameOfModelCall(name)) return false;
  if (error !== undefined) return true;
  if (typeof output !== "object" || output === null) return false;
  return Array.isArray(output)
    ? output.some((part: { readonly type?: unknown } | null) => part?.type === "finish")
    : "content" in output && Array.isArray(output.content);
}
