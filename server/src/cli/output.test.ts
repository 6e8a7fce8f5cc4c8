import { expect, it, onTestFinished, vi } from "vitest";
import { printFacts, printTable } from "./output.ts";

/** The lines that are printed. */
function printed(print: () => void, columns?: number): string[] {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const before = process.stdout.columns;
  Object.assign(process.stdout, { columns });
  onTestFinished(() => {
    Object.assign(process.stdout, { columns: before });
    log.mockRestore();
  });
  print();
  return log.mock.calls.flatMap(([text]) => String(text).split("\n"));
}

it("a table has a column for each title that has values, of any script", () => {
  const lines = printed(() =>
    printTable(
      ["NAME", "EMPTY", "NOTE"],
      [
        ["日本", "", "two\n lines\tand a tab"],
        ["\u001B[31mred\u001B[0m", null, 1],
      ],
    ),
  );
  expect(lines).toEqual(["NAME  NOTE", "日本  two lines and a tab", "\u001B[31mred\u001B[0m   1"]);
});

it("a table's last column is cut to the width of the terminal, and keeps the end of its colour", () => {
  const lines = printed(
    () => printTable(["A", "ERROR"], [["1", `\u001B[31m${"日本".repeat(20)}\u001B[0m`]]),
    20,
  );
  expect(lines).toEqual(["A  ERROR", "1  \u001B[31m日本日本日本日本\u001B[0m…"]);
});

it("a table has any number of rows", () => {
  const rows = Array.from({ length: 150_000 }, (_, index) => [String(index), "value"]);
  expect(printed(() => printTable(["A", "B"], rows), 80)).toHaveLength(150_001);
});

it("facts without a value are not printed", () => {
  expect(printed(() => printFacts({ long: "1", b: "", c: 0 }))).toEqual(["long  1", "c     0"]);
});
