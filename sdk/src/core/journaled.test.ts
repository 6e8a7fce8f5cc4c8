import { expectTypeOf, it } from "vitest";
import type { Journaled } from "./journaled.ts";

interface User {
  readonly id: number;
  readonly tags: readonly string[];
  readonly nick?: string;
  readonly status: "active" | "gone" | null;
}

it("the type of plain data is left as it is", () => {
  expectTypeOf<Journaled<User>>().toEqualTypeOf<User>();
  expectTypeOf<Journaled<[string, number]>>().toEqualTypeOf<[string, number]>();
  expectTypeOf<Journaled<void>>().toEqualTypeOf<void>();
  expectTypeOf<Journaled<unknown>>().toEqualTypeOf<unknown>();
  expectTypeOf<Journaled<boolean | undefined>>().toEqualTypeOf<boolean | undefined>();
});

it("the type of what JSON changes is what JSON makes of it", () => {
  expectTypeOf<Journaled<Date>>().toEqualTypeOf<string>();
  expectTypeOf<Journaled<{ at: Date; save(): void }>>().toEqualTypeOf<{ at: string }>();
  expectTypeOf<Journaled<(Date | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
  expectTypeOf<Journaled<bigint>>().toEqualTypeOf<never>();
});

/** As applications write it. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** As generators of types for databases write it. */
type LooseJson =
  | string
  | number
  | boolean
  | null
  | LooseJson[]
  | { [key: string]: LooseJson | undefined };

interface Page {
  readonly body: Json;
  readonly at: Date;
  readonly next: Page | null;
}

it("a recursive type of JSON is left as it is", () => {
  expectTypeOf<Journaled<Json>>().toEqualTypeOf<Json>();
  expectTypeOf<Journaled<LooseJson>>().toEqualTypeOf<LooseJson>();
  expectTypeOf<Journaled<{ [key: string]: Json }>>().toEqualTypeOf<{ [key: string]: Json }>();
  expectTypeOf<Journaled<readonly Json[] | undefined>>().toEqualTypeOf<
    readonly Json[] | undefined
  >();
  expectTypeOf<Journaled<Page>["body"]>().toEqualTypeOf<Json>();
  expectTypeOf<Journaled<Page>["at"]>().toEqualTypeOf<string>();
});
