import { expect, it } from "vitest";
import { type ErrorCode, ERROR_CATALOGUE, SERVER_PROBLEMS } from "./error-catalogue.ts";
import { errorOfCode } from "./error-of-code.ts";
import { OxbowError } from "./errors.ts";

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

it.each(codes.filter((code) => ERROR_CATALOGUE[code].sqlstate !== undefined))(
  "%s, which SQL functions raise, has a class that its message constructs",
  (code) => {
    const error = errorOfCode(code, "A fact.", { facts: { sqlstate: "OX000" } });
    expect(error).toBeInstanceOf(OxbowError);
    expect(error).toMatchObject({
      code,
      name: ERROR_CATALOGUE[code].class,
      message: "A fact.",
      facts: { sqlstate: "OX000" },
    });
  },
);

it("no SQLSTATE, class or code of a server problem is used twice", () => {
  const entries = Object.values(ERROR_CATALOGUE);
  for (const values of [
    entries.flatMap(({ sqlstate }) => sqlstate ?? []),
    entries.map((entry) => entry.class),
    [...codes, ...Object.keys(SERVER_PROBLEMS)],
  ]) {
    expect(new Set(values).size).toBe(values.length);
  }
});
