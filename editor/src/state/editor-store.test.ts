import type { Document, Problem } from "@oxbow/declared/check";
import { describe, expect, it, onTestFinished } from "vitest";
import { editorCatalog } from "../catalog/editor-catalog.ts";
import type { EditorData } from "../data/editor-data.ts";
import { memoryDefinition } from "../data/memory-definition.ts";
import { addEdge, withNodeMember } from "../document/edits.ts";
import { withValueAt } from "../document/places.ts";
import { EditorStore } from "./editor-store.ts";

const DOCUMENT: Document = {
  format: 1,
  name: "a",
  nodes: {
    ask: { type: "branch@1", params: { cases: [{ id: "yes", when: "true" }] } },
    one: { type: "set@1", params: { n: 1 } },
    two: { type: "set@1" },
  },
  edges: [{ from: "ask", on: "yes", to: "one" }],
};

const open = (): Promise<EditorStore> =>
  openWith(memoryDefinition({ document: DOCUMENT, catalog: { nodeTypes: [] } }));

async function openWith(data: EditorData): Promise<EditorStore> {
  const store = new EditorStore(data, await data.load(), editorCatalog(await data.catalog()));
  onTestFinished(() => store.close());
  return store;
}

describe("the outline", () => {
  it.each<[string, (document: Document) => Document]>([
    ["a parameter", (document) => withValueAt(document, "/nodes/one/params/n", 2)],
    ["a condition of a case", (d) => withValueAt(d, "/nodes/ask/params/cases/0/when", "false")],
    ["a retry", (document) => withNodeMember(document, "one", "retry", { attempts: 3 })],
    ["the input", (document) => ({ ...document, input: { type: "object" } })],
  ])("stays the same object while %s changes, and so does the selection", async (_what, edit) => {
    const store = await open();
    store.select(["one"]);
    const { outline, selected } = store.state;
    store.changeDocument(edit);
    expect(store.document).not.toBe(outline);
    expect(store.state.outline).toBe(outline);
    expect(store.state.selected).toBe(selected);
  });

  it.each<[string, (document: Document) => Document]>([
    ["a title", (document) => withNodeMember(document, "one", "title", "One")],
    ["a type", (document) => withNodeMember(document, "one", "type", "end@1")],
    ["a guard", (document) => withNodeMember(document, "one", "when", "true")],
    ["a loop around", (document) => withNodeMember(document, "one", "parent", "two")],
    ["a way out", (d) => withValueAt(d, "/nodes/ask/params/cases/1", { id: "no" })],
    ["an edge", (document) => addEdge(document, { from: "one", to: "two" })],
    ["a step", (d) => ({ ...d, nodes: { ...d.nodes, three: { type: "set@1" } } })],
    [
      "the order",
      (d) => ({ ...d, nodes: Object.fromEntries(Object.entries(d.nodes).toReversed()) }),
    ],
  ])("follows %s", async (_what, edit) => {
    const store = await open();
    store.changeDocument(edit);
    expect(store.state.outline).toBe(store.document);
  });

  it("drops steps that are gone from the selection", async () => {
    const store = await open();
    store.select(["one", "two"]);
    const { one: _one, ...nodes } = DOCUMENT.nodes;
    store.changeDocument((document) => ({ ...document, nodes }));
    expect(store.state.selected).toEqual(["two"]);
  });
});

describe("the check of the application", () => {
  const problem = (code: string): Problem => ({
    severity: "error",
    code,
    pointer: "/nodes/one",
    node: "one",
    message: "It is unknown",
    hint: "Choose another.",
  });

  it("is asked only for the last document, and adds what only it finds", async () => {
    const asked: ((problems: readonly Problem[]) => void)[] = [];
    const seen: Document[] = [];
    const base = memoryDefinition({ document: DOCUMENT, catalog: { nodeTypes: [] } });
    const data = {
      ...base,
      validate: (document: Document) => {
        seen.push(document);
        return new Promise<readonly Problem[]>((resolve) => {
          asked.push(resolve);
        });
      },
    };
    const store = new EditorStore(data, await data.load(), editorCatalog(await data.catalog()));
    onTestFinished(() => store.close());
    const codes = (): string[] => store.state.problems.map(({ code }) => code);
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
    expect(codes()).toEqual([]);
    // While the first answer is awaited, two changes make one request.
    for (const type of ["nosuch@1", "absent@1"]) {
      store.changeDocument((document) => withNodeMember(document, "one", "type", type));
      const found = () => store.state.problems.map(({ message }) => message).join();
      await expect.poll(found, { timeout: 10_000 }).toContain(type);
      expect(asked).toHaveLength(1);
    }
    asked[0]?.([problem("OUTDATED")]);
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(2);
    expect(seen[1]).toBe(store.document);
    const [unknown] = store.state.problems;
    asked[1]?.([...(unknown === undefined ? [] : [unknown]), problem("NO_SUCH_CHANNEL")]);
    await expect.poll(codes, { timeout: 10_000 }).toEqual(["UNKNOWN_NODE_TYPE", "NO_SUCH_CHANNEL"]);
    // What the editor finds as well is gone with its own check, before the next answer.
    store.changeDocument((document) => withNodeMember(document, "one", "type", "set@1"));
    await expect.poll(codes, { timeout: 10_000 }).toEqual(["NO_SUCH_CHANNEL"]);
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(3);
    asked[2]?.([]);
    await expect.poll(codes, { timeout: 10_000 }).toEqual([]);
  });
});

it("saving has nothing to do for a change that was taken back", async () => {
  const store = await open();
  store.changeDocument((document) => withValueAt(document, "/nodes/one/params/n", 2));
  expect(store.state.save.kind).toBe("unsaved");
  store.changeDocument((document) => withValueAt(document, "/nodes/one/params/n", 1));
  await expect.poll(() => store.state.save.kind, { timeout: 10_000 }).toBe("saved");
  expect(store.revision).toBe(1);
});

it("saving is done one at a time, however many ask for it", async () => {
  const saved: Document[] = [];
  const answers: (() => void)[] = [];
  const base = memoryDefinition({ document: DOCUMENT, catalog: { nodeTypes: [] } });
  const store = await openWith({
    ...base,
    save: async (draft) => {
      saved.push(draft.document);
      await new Promise<void>((resolve) => {
        answers.push(resolve);
      });
      return { kind: "saved", revision: draft.revision + 1 };
    },
  });
  const setN = (n: number): void =>
    store.changeDocument((document) => withValueAt(document, "/nodes/one/params/n", n));
  setN(2);
  const first = store.flush();
  await expect.poll(() => saved.length).toBe(1);
  setN(3);
  const others = [store.flush(), store.flush()];
  answers[0]?.();
  await first;
  await expect.poll(() => saved.length).toBe(2);
  answers[1]?.();
  await Promise.all(others);
  expect(saved).toHaveLength(2);
  expect(saved[1]).toBe(store.document);
});

it("saving is repeated after it failed, also once the editor is closed", async () => {
  let failures = 1;
  const base = memoryDefinition({ document: DOCUMENT, catalog: { nodeTypes: [] } });
  const store = await openWith({
    ...base,
    save: async (draft) => {
      failures -= 1;
      if (failures >= 0) throw new Error("The server can't be reached.");
      return (await base.save?.(draft)) ?? { kind: "saved", revision: 0 };
    },
  });
  store.changeDocument((document) => withValueAt(document, "/nodes/one/params/n", 2));
  store.close();
  const stored = async (): Promise<Document> => (await base.load()).document;
  await expect.poll(stored, { timeout: 20_000 }).toEqual(store.document);
});
