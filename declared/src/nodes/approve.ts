import type { WaitOptions } from "@oxbow/sdk/runtime";
import { APPROVAL, type ApprovalRequest, AT_TIMEOUT } from "@oxbow/sdk/internal/declared";
import { isObject, type Json, present } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/**
 * `approve@1`: requests an approval in the commit that begins to wait for it. Takes `approved` or `rejected` with the
 * decision as output, or `timeout`.
 */
export const approve: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const title = parameters.required("title");
  const others = parameters.boundOf([
    "description",
    "approvers",
    "quorum",
    "rejections",
    "excludeStarter",
  ]);
  const timeout = parameters.bound("timeout");
  const form = parameters.literal("form");
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const values = Object.entries(others(variables)).filter(([, value]) => value !== null);
      const request = {
        title: title(variables),
        ...Object.fromEntries(values),
        ...present({ form }),
      };
      checkRequest(id, request);
      const options = {
        ...present({ timeout: timeout?.(variables) }),
        [AT_TIMEOUT]: TIMEOUT,
        [APPROVAL]: request,
      };
      return step.waitForEvent(path, options as WaitOptions).then((decided: unknown) => {
        if (decided === TIMEOUT) return { handle: "timeout", output: null };
        const { decision } = decided as { readonly decision: "approved" | "rejected" };
        return { handle: decision, output: decided as Json };
      });
    },
  };
};

/** Differs from every decision. */
const TIMEOUT = Symbol("timeout");

const MOST_DECISIONS = 1_000;
/** As the database has it. */
const LARGEST_REQUEST = 131_072;

/** The database refuses the commit with an invalid request, so the node refuses it before. */
function checkRequest(
  id: string,
  request: Readonly<Record<string, unknown>>,
): asserts request is Readonly<Record<string, unknown>> & ApprovalRequest {
  const {
    title,
    description,
    approvers,
    quorum = 1,
    rejections = 1,
    excludeStarter = false,
  } = request;
  const problem =
    typeof title !== "string" || title === ""
      ? "its title is no text"
      : description !== undefined && typeof description !== "string"
        ? "its description is no text"
        : approvers !== undefined && !isListOfNames(approvers)
          ? "its approvers are no list of names"
          : !isCount(quorum) || !isCount(rejections)
            ? `its quorum and rejections must be between 1 and ${MOST_DECISIONS}`
            : typeof excludeStarter !== "boolean"
              ? "excludeStarter is neither true nor false"
              : request["form"] !== undefined && !isObject(request["form"])
                ? "its form is no schema"
                : Buffer.byteLength(JSON.stringify(request)) > LARGEST_REQUEST - 200
                  ? "it is larger than 128 KiB"
                  : undefined;
  if (problem !== undefined) {
    throw new InvalidParameters(`Node "${id}" can't ask for an approval: ${problem}.`);
  }
}

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((name) => typeof name === "string" && name !== "");

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_DECISIONS;
