/** How nodes behave in a test: as they are pinned, by a sample, or as always. */
import { NonRetriableError } from "@oxbow/sdk/runtime";
import { handlesOfNode } from "../check/node-types.ts";
import type { Node } from "../document/document.ts";
import { type Json, own } from "../document/json.ts";
import type { Behaviour, Finished, Place, Variables } from "../nodes/behaviour.ts";
import type { NodeDescriptor } from "../nodes/descriptor.ts";
import { whenThere } from "../nodes/maybe-async.ts";
import { handlerReader, reader } from "../nodes/parameters.ts";
import { sampleOf } from "../types/sample.ts";
import { type Pin, type TestedCall, testedCallIn, type TestPlan } from "./test-plan.ts";

export interface TestedUse {
  readonly id: string;
  readonly node: Node;
  readonly behaviour: Behaviour;
  readonly descriptor: NodeDescriptor | undefined;
  /** Validates resolved parameters, as before a call. */
  readonly checkParams: (variables: Variables) => unknown;
}

/** An approval is asked of people, who are outside of the run as well. */
const ASKS_PEOPLE = "approve@1";

/** The behaviour of a use of a node type in a test. */
export function testedBehaviour(use: TestedUse, { pins, effects }: TestPlan): Behaviour {
  const { id, node, behaviour, descriptor } = use;
  const pin = own(pins, id);
  if (pin !== undefined) return standIn(use, pin, "pin");
  const staysInside = descriptor?.effects === "none" && node.type !== ASKS_PEOPLE;
  return effects === "real" || staysInside ? behaviour : standIn(use, {}, "sample");
}

/** A step that resolves the parameters, so that their failures show, and takes the place of the work. */
function standIn(use: TestedUse, pin: Pin, kind: TestedCall["$test"]): Behaviour {
  const { id, node, descriptor, checkParams } = use;
  const { params = {} } = node;
  const read = descriptor?.isCall === false ? reader(params) : handlerReader(params);
  const handles = descriptor?.handles ?? ["out"];
  const [first = "out"] = handles;
  const { handle = first, error } = pin;
  const output = "output" in pin ? (pin.output ?? null) : sampleOf(descriptor?.output, params);
  const known = handlesOfNode(node, descriptor);
  const call = ({ variables }: Place): unknown => {
    if (known !== undefined && handle !== "error" && !known.includes(handle)) {
      throw new NonRetriableError(
        `The pin of node "${id}" takes the handle "${handle}", and ${node.type} has ${known.join(", ")}.`,
      );
    }
    if (error !== undefined) {
      const { code = "ERROR", message = "the pin of the test fails" } = error;
      throw new NonRetriableError(message, {
        cause: Object.assign(new Error(message), { code }),
      });
    }
    const all = { ...variables, now: new Date() };
    // A pin holds whatever the parameters are.
    if (kind === "pin") return { $test: kind, input: attempt(() => read(all)), handle, output };
    const input = read(all);
    return whenThere(checkParams(all), () => ({ $test: kind, input, handle, output }));
  };
  return {
    kind: "step",
    isCall: true,
    ask: (place) =>
      place.services.step
        .run(place.path, () => call(place), { retry: { attempts: 1 } })
        .then((value): Finished => testedCallIn(value) ?? { handle, output: value as Json }),
  };
}

function attempt(read: () => Json): Json {
  try {
    return read();
  } catch {
    return null;
  }
}
