/** Values of a form, compared with its schema, whose author may be a customer: neither may hold up the server. */
import { Script } from "node:vm";
import type { Approval } from "@oxbow/sdk/internal/server";
import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { HttpProblem } from "../../http/problems.ts";

export type FormValues = Readonly<Record<string, unknown>>;

const MOST_PROBLEMS = 10;

/** A form of a hundred fields takes some milliseconds. */
const LONGEST_COMPARISON_MS = 250;

const OPTIONS: Options = { allErrors: true, strict: false, validateFormats: false };

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
  const errors = errorsInTime(form, values ?? {});
  if (errors.length === 0) return;
  const problems = errors
    .slice(0, MOST_PROBLEMS)
    .map(({ instancePath, message = "is invalid" }) => `$${instancePath} ${message}`);
  throw refusal(`The values don't fit the form: ${problems.join("; ")}.`);
}

const refusal = (detail: string): HttpProblem => new HttpProblem("VALIDATION_FAILED", detail);

const comparison = new Script("compare()");

/**
 * The time of a comparison has no bound that a look at the schema finds: a `pattern` may backtrack, and each `$ref` may double
 * the work of the one before. Node ends a script at its time limit with all that it has called, a regular expression included.
 */
function errorsInTime(form: object, values: FormValues): readonly ErrorObject[] {
  try {
    return comparison.runInNewContext(
      { compare: () => errorsOf(form, values) },
      { timeout: LONGEST_COMPARISON_MS },
    ) as readonly ErrorObject[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw refusal(
        `Comparing the values with the form took more than ${LONGEST_COMPARISON_MS} ms. Try again, or simplify the form.`,
      );
    }
    if (error instanceof RangeError) {
      throw refusal("The values are nested too deeply to be compared with the form.");
    }
    throw error;
  }
}

function errorsOf(form: object, values: FormValues): readonly ErrorObject[] {
  const validate = compiled(form);
  return validate === undefined || validate(values) ? [] : (validate.errors ?? []);
}

/**
 * Undefined for a schema that isn't one, refers to others, or to itself without end: it must not keep people from deciding.
 */
function compiled(form: object): ValidateFunction | undefined {
  // The instance knows its dialect, and not the names of others.
  const { $schema: dialect, ...schema } = form as { readonly $schema?: unknown };
  try {
    const validate = new (dialectOf(dialect))(OPTIONS).compile(schema);
    // Overflows the stack for any values if it refers to itself without end.
    validate({});
    return validate;
  } catch {
    return undefined;
  }
}

/** Draft 7 has another form of tuples than the current dialect, which is the default. */
function dialectOf(named: unknown): typeof Ajv | typeof Ajv2019 | typeof Ajv2020 {
  if (typeof named !== "string") return Ajv2020;
  if (/\/draft-0\d\//u.test(named)) return Ajv;
  return named.includes("/2019-09/") ? Ajv2019 : Ajv2020;
}
