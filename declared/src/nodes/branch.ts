import { isObject } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { guardOf, InvalidParameters, Parameters } from "./parameters.ts";

const ELSE = "else";

/**
 * `branch@1`: takes the handle of the first case whose condition holds, else `else`. With `mode: "every"` it takes the
 * handles of all such cases. Its output is the list of handles.
 */
export const branch: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const every = parameters.literal("mode") === "every";
  const given = parameters.literal("cases");
  if (!Array.isArray(given)) throw new InvalidParameters(`Node "${id}" has no list of cases.`);
  const cases = given.map((each: unknown) => {
    const { id: handle, when } = isObject(each) ? each : {};
    if (typeof handle === "string" && typeof when === "string") {
      return { handle, holds: guardOf(when) };
    }
    throw new InvalidParameters(
      `Node "${id}" has the case ${JSON.stringify(each)}: give it an id and a condition "when".`,
    );
  });
  return {
    kind: "decision",
    decide: (variables) => {
      const handles: string[] = [];
      for (const { handle, holds } of cases) {
        if (!holds(variables)) continue;
        handles.push(handle);
        if (!every) break;
      }
      if (handles.length === 0) handles.push(ELSE);
      return { handles, output: handles };
    },
  };
};
