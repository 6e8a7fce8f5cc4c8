import type { NodeDescriptor } from "../descriptor.ts";
import { flag, object, text } from "./parameter-schemas.ts";

export const SQL_QUERY: NodeDescriptor = {
  type: "sql.query@1",
  title: "SQL query",
  description:
    "Executes one statement on a data source of the workers. Its output is `{ rows, count }`, of at most 1,000 rows.",
  category: "Data",
  icon: "database",
  params: object(
    {
      source: text({
        title: "Data source",
        description: "As the workers name it; `oxbow` is the database of Oxbow itself.",
        examples: ["shop"],
      }),
      sql: text({
        title: "Statement",
        description: "One statement, with `$1`, `$2`, … for the values.",
        widget: "code",
        examples: ["select id, email from customer where country = $1"],
      }),
      values: {
        type: "array",
        title: "Values",
        description: "Bound as parameters of the statement, never put into its text.",
        default: [],
      },
      write: flag({
        title: "Write",
        description: "Lets the statement write, if the workers allow it on this source.",
      }),
      row: {
        title: "Schema of a row",
        description:
          "JSON Schema. Other nodes read rows by it, and a row that differs fails the node.",
        widget: "schema",
      },
    },
    ["source", "sql"],
  ),
  output: object(
    { rows: { type: "array", items: { $from: "params.row" } }, count: { type: "integer" } },
    ["rows", "count"],
  ),
  handles: ["out"],
  effects: "writes",
  takesSecrets: false,
  timeout: "30s",
};
