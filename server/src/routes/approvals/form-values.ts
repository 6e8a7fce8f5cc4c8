/** Values of a form, compared with its schema. */
import type { Approval } from "@oxbow/sdk/internal/server";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { HttpProblem } from "../../http/problems.ts";

export type FormValues = Readonly<Record<string, unknown>>;

const MOST_PROBLEMS = 10;

/**
 * Checks what a person filled in. A rejection may leave out the form.
 *
 * @throws HttpProblem VALIDATION_FAILED
 */
export function checkValues(
  { form }: Approval,
  decision: "approved" | "rejected",
  values: FormValues | undefined,
): void {
  if (form === null || (decision === "rejected" && values === undefined)) return;
  const validate = compiled(form);
  if (validate === undefined || validate(values ?? {})) return;
  const problems = (validate.errors ?? [])
    .slice(0, MOST_PROBLEMS)
    .map(({ instancePath, message = "is invalid" }) => `$${instancePath} ${message}`);
  throw new HttpProblem(
    "VALIDATION_FAILED",
    `The values don't fit the form: ${problems.join("; ")}.`,
  );
}

/** Undefined for a schema that isn't one, or refers to others: it must not keep people from deciding. */
function compiled(form: object): ValidateFunction | undefined {
  try {
    return new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(form);
  } catch {
    return undefined;
  }
}
