/** The types of what the server takes and answers, by path and method. */
import type { paths } from "./schema.ts";

type Method = "get" | "post" | "put";
interface Json<Body> {
  readonly content: { readonly "application/json": Body };
}

/** The body of an answer with status 200. */
export type AnswerOf<
  Path extends keyof paths,
  By extends Method = "get",
> = paths[Path][By] extends {
  readonly responses: { readonly 200: Json<infer Body> };
}
  ? Body
  : never;

/** The body of a request. */
export type BodyOf<Path extends keyof paths, By extends Method = "post"> = paths[Path][By] extends {
  readonly requestBody?: Json<infer Body> | undefined;
}
  ? Body
  : never;

/** The query of a request. */
export type QueryOf<Path extends keyof paths> = paths[Path]["get"] extends {
  readonly parameters: { readonly query?: infer Query };
}
  ? NonNullable<Query>
  : never;
