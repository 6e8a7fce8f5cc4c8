/** Checks the parameters of an action by its model. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { SqsError } from "./errors.ts";
import { type ActionName, type Input, PARAMETERS } from "./model.ts";

type Validators = (name: ActionName) => ValidateFunction;

const strict = validators(new Ajv({ strict: false }));
const coercing = validators(new Ajv({ strict: false, coerceTypes: true }));

/** Compiles the model of each action when a request first needs it. */
function validators(ajv: Ajv): Validators {
  const known = new Map<ActionName, ValidateFunction>();
  return (name) => {
    const found = known.get(name) ?? ajv.compile(PARAMETERS[name]);
    known.set(name, found);
    return found;
  };
}

/**
 * @param isForm All values are texts, which are converted to the types of the model.
 * @throws SqsError naming the parameter.
 */
export function validate<Name extends ActionName>(
  name: Name,
  input: unknown,
  isForm: boolean,
): Input<Name> {
  const check = (isForm ? coercing : strict)(name);
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
