/**
 * Validators and serialization functions of the routes' schemas, each compiled when a request first needs it.
 *
 * All of them together take longer than everything else that a server does before it listens. `problems.ts` words the
 * errors that they find.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import fastJsonStringify from "fast-json-stringify";
import type { FastifySchema } from "fastify";

type Verdict = true | { readonly error: ErrorObject[] };

/** Paths and queries are strings, which are converted to the types of the schema; bodies are not converted. */
export function compileValidator({
  schema,
  httpPart,
}: {
  readonly schema: FastifySchema;
  readonly httpPart?: string;
}): (data: unknown) => Verdict {
  const compile = httpPart === "body" ? compileStrict : compileCoercing;
  return (data) => {
    const validate = compile(schema);
    return validate(data) || { error: validate.errors ?? [] };
  };
}

export function compileSerializer({
  schema,
}: {
  readonly schema: FastifySchema;
}): (data: unknown) => string {
  return (data) => compileStringify(schema)(data);
}

const settings = { allErrors: false, useDefaults: true, strict: false, allowUnionTypes: true };

const compileStrict = onFirstUse(validators(new Ajv({ ...settings, coerceTypes: false })));
const compileCoercing = onFirstUse(validators(new Ajv({ ...settings, coerceTypes: "array" })));
const compileStringify = onFirstUse(
  (schema) => fastJsonStringify(schema) as (data: unknown) => string,
);

function validators(ajv: Ajv): (schema: object) => ValidateFunction {
  addFormats.default(ajv);
  return (schema) => ajv.compile(schema);
}

/** Keeps what is compiled for as long as its schema, which servers of one process share. */
function onFirstUse<Compiled>(compile: (schema: object) => Compiled): (schema: object) => Compiled {
  const known = new WeakMap<object, Compiled>();
  return (schema) => {
    const found = known.get(schema) ?? compile(schema);
    known.set(schema, found);
    return found;
  };
}
