/** The public doors of the packages that programs import. Doors whose name has `internal` promise nothing, and have no reference. */

export interface Door {
  /** The folder of its package. */
  readonly folder: string;
  /** The file of `src/` that it is, and the name of its API report in `<folder>/api/`. */
  readonly entry: string;
  /** Its page of the reference, below `docs/reference/`. */
  readonly page: string;
  /** What programs import. */
  readonly title: string;
  readonly about: string;
}

export const DOORS: readonly Door[] = [
  {
    folder: "sdk",
    entry: "index",
    page: "sdk/client.md",
    title: "@oxbow/sdk",
    about: "The client: start, observe and operate runs, and use queues, topics and schedules.",
  },
  {
    folder: "sdk",
    entry: "runtime",
    page: "sdk/runtime.md",
    title: "@oxbow/sdk/runtime",
    about: "Workflow definitions, and the workers that serve them.",
  },
  {
    folder: "sdk",
    entry: "browser",
    page: "sdk/browser.md",
    title: "@oxbow/sdk/browser",
    about: "For pages: follows a run by a run token, without a dependency.",
  },
  {
    folder: "sdk",
    entry: "http",
    page: "sdk/http.md",
    title: "@oxbow/sdk/http",
    about: "For functions: serves workflows by HTTP requests of a server.",
  },
  {
    folder: "sdk",
    entry: "testing",
    page: "sdk/testing.md",
    title: "@oxbow/sdk/testing",
    about: "The testing kit: an embedded Postgres whose clock skips, and replaced steps.",
  },
  {
    folder: "react",
    entry: "index",
    page: "sdk/react.md",
    title: "@oxbow/react",
    about: "Hooks and components for pages that show a run, by a run token.",
  },
  {
    folder: "ai",
    entry: "index",
    page: "sdk/ai.md",
    title: "@oxbow/ai",
    about: "Models, tools and agents of the AI SDK whose work is journaled by runs.",
  },
  {
    folder: "declared",
    entry: "index",
    page: "declared/nodes.md",
    title: "@oxbow/declared",
    about: "Node types, and what runs documents on a worker.",
  },
  {
    folder: "declared",
    entry: "client",
    page: "declared/client.md",
    title: "@oxbow/declared/client",
    about: "Definitions, and what they use, by a client.",
  },
  {
    folder: "declared",
    entry: "check",
    page: "declared/check.md",
    title: "@oxbow/declared/check",
    about: "Documents, expressions, and all problems of a document. It also runs in browsers.",
  },
  {
    folder: "editor",
    entry: "index",
    page: "declared/editor.md",
    title: "@oxbow/editor",
    about: "The editor as a React component, and the data interface that applications implement.",
  },
  {
    folder: "editor",
    entry: "memory",
    page: "declared/editor-memory.md",
    title: "@oxbow/editor/memory",
    about: "The data interface without a server, for examples, tests and previews.",
  },
];

export const reportOf = ({ folder, entry }: Door): string => `${folder}/api/${entry}.api.md`;
