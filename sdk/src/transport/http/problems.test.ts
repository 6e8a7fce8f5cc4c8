import { expect, it } from "vitest";
import { blameFor } from "../../protocol/blame.ts";
import { type Problem, toOxbowError } from "./problems.ts";

it.each<[string, Partial<Problem>, string]>([
  ["a body that is too large", { status: 413, code: "BODY_TOO_LARGE" }, "data"],
  ["an argument that makes no sense", { status: 400, code: "INVALID_ARGUMENT" }, "data"],
  ["text that is not JSON", { status: 400, code: "SERIALIZATION_FAILED" }, "data"],
  ["a full disk", { status: 503, code: "DATABASE_UNAVAILABLE", sqlstate: "53100" }, "database"],
  ["a lock timeout", { status: 503, code: "DATABASE_UNAVAILABLE", sqlstate: "55P03" }, "unclear"],
  [
    "a code of the database",
    { status: 400, code: "INVALID_ARGUMENT", sqlstate: "22008" },
    "unclear",
  ],
  ["a server that fails", { status: 500, code: "INTERNAL_ERROR" }, "unclear"],
  ["the page of a proxy", { status: 429, code: "NOT_OXBOW" }, "unclear"],
  [
    "a server that is older than the SDK",
    { status: 400, code: "INVALID_REQUEST", detail: 'body/items/0 has an unknown property "new".' },
    "unclear",
  ],
])("%s is blamed on the data only where it speaks of it", (_what, problem, blame) => {
  const error = toOxbowError({ status: 400, code: "", detail: "", ...problem }, "the server");
  expect(blameFor(error)).toBe(blame);
});
