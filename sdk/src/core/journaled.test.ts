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
