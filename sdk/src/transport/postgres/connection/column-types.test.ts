import pg from "pg";
import { expect, it } from "vitest";
import { columnTypes } from "./column-types.ts";

const { builtins } = pg.types;

const read = (type: number, text: string): unknown =>
  (columnTypes.getTypeParser(type) as (text: string) => unknown)(text);

it.each([
  ["2026-11-21 13:41:00.123456+00", "2026-11-21T13:41:00.123Z"],
  ["2026-11-21 13:41:00+05:30", "2026-11-21T08:11:00.000Z"],
  ["2026-11-21 13:41:00.5-03:30", "2026-11-21T17:11:00.500Z"],
  ["12026-11-21 13:41:00+00", "+012026-11-21T13:41:00.000Z"],
])("reads the time %s", (text, iso) => {
  expect(read(builtins.TIMESTAMPTZ, text)).toEqual(new Date(iso));
});

it("reads what has no end as no date", () => {
  expect(read(builtins.TIMESTAMPTZ, "infinity")).toBe(Infinity);
  expect(read(builtins.TIMESTAMPTZ, "-infinity")).toBe(-Infinity);
});

it("leaves a bigint as text, which a number could not hold", () => {
  expect(read(builtins.INT8, "9223372036854775807")).toBe("9223372036854775807");
});
