import { expect, it } from "vitest";
import { maskedUrl } from "./masked-url.ts";

it.each([
  ["https://ada:pw@example.org/hook", "https://ada:***@example.org/hook"],
  ["https://ada:p/w@example.org/hook", "https://ada:***@example.org/hook"],
  ["https://ada:7p#w?@example.org/hook", "https://ada:***@example.org/hook"],
  ["https://ada:p@w@example.org/hook", "https://ada:***@example.org/hook"],
  ["https://ada:p/w@[::1]:8080/a", "https://ada:***@[::1]:8080/a"],
  ["postgres://ada:pw@a:1,b:2/db", "postgres://ada:***@a:1,b:2/db"],
  ["https://ada@a.org:pw@example.org/@a", "https://ada@a.org:***@example.org/@a"],
  ["https://ada@a.org:p/w@example.org/hook", "https://ada@a.org:***@example.org/hook"],
  ["https://token@example.org/", "https://***@example.org/"],
  ["https://token@example.org:8080/@a", "https://***@example.org:8080/@a"],
  ["https://to@ken@example.org/@a", "https://***@example.org/@a"],
  ["https://ada:pw@example.org/@a", "https://ada:***@example.org/@a"],
  ["https://ada:***@example.org/@a", "https://ada:***@example.org/@a"],
  ["https://example.org/@a", "https://example.org/@a"],
  ["https://example.org:8080/@a", "https://example.org:8080/@a"],
  ["https://example.org:?a=b@c", "https://example.org:?a=b@c"],
  ["https://[::1]:8080/@a", "https://[::1]:8080/@a"],
])("masks the password in %s", (url, masked) => {
  expect(maskedUrl(url)).toBe(masked);
});
