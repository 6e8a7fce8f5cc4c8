/** Distinguishes unknown paths from unsupported methods. */
import { HttpProblem } from "./problems.ts";

export class MethodIndex {
  readonly #methods = new Map<string, Set<string>>();

  add(method: string | readonly string[], url: string): void {
    const path = withoutSlash(url);
    const methods = this.#methods.get(path) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    this.#methods.set(path, methods);
  }

  explain(method: string, url: string): HttpProblem {
    const path = url.split("?")[0] ?? "";
    const allowed = this.#allowed(withoutSlash(path));
    if (allowed.length === 0) {
      return new HttpProblem(
        "NOT_FOUND",
        `${path.slice(0, 200)} doesn't exist. GET /openapi.json lists all endpoints.`,
      );
    }
    return new HttpProblem(
      "METHOD_NOT_ALLOWED",
      `${path.slice(0, 200)} doesn't support ${method}, only ${allowed.join(", ")}.`,
      { allow: allowed.join(", ") },
    );
  }

  #allowed(path: string): string[] {
    const parts = path.split("/");
    return [...this.#methods]
      .filter(([url]) => matches(url.split("/"), parts))
      .flatMap(([, methods]) => [...methods])
      .toSorted();
  }
}

const withoutSlash = (path: string): string => path.replace(/\/$/, "");

const matches = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.length === parts.length &&
  pattern.every((part, index) =>
    part.startsWith(":") ? parts[index] !== "" : part === parts[index],
  );
