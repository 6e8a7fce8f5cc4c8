import { type QueryKey, queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { AnswerOf } from "./bodies.ts";
import type { paths } from "./schema.ts";

type ReadPath = {
  [Path in keyof paths]: [AnswerOf<Path>] extends [never] ? never : Path;
}[keyof paths];

type ParamsOf<Path extends ReadPath> = Pick<
  NonNullable<paths[Path]["get"]>["parameters"],
  "path" | "query"
>;

/** What goes into an address: its path is never left out. */
type Given<Params> = Params extends { path: object } ? [params: Params] : [params?: Params];

/** The query of a GET, which ends when nothing waits for it any more. */
export const readQuery = <Path extends ReadPath>(
  queryKey: QueryKey,
  path: Path,
  ...[params]: Given<ParamsOf<Path>>
) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) =>
      answer(api.GET(path as never, { params, signal } as never)) as Promise<AnswerOf<Path>>,
  });
