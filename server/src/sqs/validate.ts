/** Checks the parameters of an action by its model. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SqsError } from "./errors.ts";
import { type ActionName, type Input, PARAMETERS } from "./model.ts";

const ajv = new Ajv({ strict: false });
const validators = new Map<ActionName, ValidateFunction>();

/** @throws SqsError naming the parameter. */
export function validate<Name extends ActionName>(name: Name, input: unknown): Input<Name> {
  const check = validators.get(name) ?? ajv.compile(PARAMETERS[name]);
  validators.set(name, check);
  if (check(input)) return input as Input<Name>;
  throw toError(check.errors?.[0]);
}

function toError(issue: ErrorObject | undefined): SqsError {
  const path = (issue?.instancePath ?? "").slice(1).replaceAll("/", ".");
  if (issue?.keyword !== "required") {
    return new SqsError(
      "SerializationException",
      `${path === "" ? "The body" : path} ${issue?.message ?? "is invalid"}.`,
    );
  }
  const missing = String(issue.params["missingProperty"]);
  return new SqsError(
    "MissingRequiredParameterException",
    `The request must contain the parameter ${path === "" ? missing : `${path}.${missing}`}.`,
  );
}
