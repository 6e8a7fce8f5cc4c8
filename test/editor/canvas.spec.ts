/** Drawing on the canvas. */
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { type EditorTab, openEditor } from "./world.ts";

const nodeOf = (id: string): string => `.react-flow__node[data-id="${id}"]`;
const handleOf = (id: string, handle: string): string =>
  `${nodeOf(id)} .react-flow__handle[data-handleid="${handle}"]`;

async function drag(tab: EditorTab, from: string, to: string): Promise<void> {
  const [start, end] = [await tab.middleOf(from), await tab.middleOf(to)];
  const { mouse } = tab.page;
  await mouse.move(start.x, start.y);
  await mouse.down();
  await mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await mouse.move(end.x, end.y, { steps: 6 });
  await mouse.up();
}

export function describeCanvas(): void {
  it("connects two steps, and reports why others can't be", async () => {
    const tab = await openEditor("page-on-major");
    await drag(tab, handleOf("mail", "out"), handleOf("inform", "in"));
    await tab.shows(/already leads to .*circle/s, ".oxe-notices");
    await drag(tab, handleOf("inform", "out"), handleOf("mail", "in"));
    const { edges } = await tab.draft(({ edges: all }) => (all as unknown[]).length === 7);
    expect(edges).toContainEqual({ from: "inform", to: "mail" });
  });

  it("inserts a step that is dropped on a connection", async () => {
    const tab = await openEditor("page-on-major");
    await tab.type("Search steps", "e-mail");
    const item = await tab.middleOf(".oxe-palette-item");
    const edge = await tab.middleOf('.react-flow__edge[data-id="inform out page"] path');
    const { mouse } = tab.page;
    await mouse.move(item.x, item.y);
    await mouse.down();
    await mouse.move(edge.x - 12, edge.y, { steps: 8 });
    await mouse.move(edge.x - 11, edge.y, { steps: 2 });
    await mouse.up();
    const { edges } = await tab.draft(({ nodes }) => "send" in nodes);
    expect(edges).toContainEqual({ from: "inform", to: "send" });
    expect(edges).toContainEqual({ from: "send", to: "page" });
    expect(edges).not.toContainEqual({ from: "inform", to: "page" });
  });

  it("moves, deletes, undoes and redoes", async () => {
    const tab = await openEditor("page-on-major");
    const before = await tab.middleOf(nodeOf("inform"));
    const { mouse } = tab.page;
    await mouse.move(before.x, before.y);
    await mouse.down();
    await mouse.move(before.x + 40, before.y + 80, { steps: 20 });
    await mouse.up();
    // The first pixels of a move only begin it.
    const isAt = (y: number): Promise<unknown> =>
      eventually(
        () => tab.middleOf(nodeOf("inform")),
        (place) => Math.abs(place.y - y) < 15,
      );
    await isAt(before.y + 80);
    await tab.keys("Delete");
    await tab.draft(({ nodes }) => !("inform" in nodes));
    await tab.button("Undo");
    expect((await tab.draft(({ nodes }) => "inform" in nodes))["edges"]).toContainEqual({
      from: "inform",
      to: "page",
    });
    await tab.button("Undo");
    await isAt(before.y);
    await tab.button("Redo");
    await isAt(before.y + 80);
    await tab.button("Redo");
    await tab.draft(({ nodes }) => !("inform" in nodes));
  });

  it("bridges the gap of a deleted step", async () => {
    const tab = await openEditor("page-on-major");
    await tab.page.locator(nodeOf("similar")).click();
    await tab.button("Delete the step");
    const { edges } = await tab.draft(({ nodes }) => !("similar" in nodes));
    expect(edges).toContainEqual({ from: "answered", on: "yes", to: "each" });
  });

  it("copies steps into another definition, with their loops and connections", async () => {
    const tab = await openEditor("page-on-major");
    const { page } = tab;
    await page.locator(nodeOf("each")).click({ offset: { x: 60, y: 20 } });
    await tab.control("c");
    const other = await openEditor("new-workflow", page.browserContext());
    await other.page.focus(".oxe-title");
    await other.control("v");
    await other.control("v");
    const { nodes } = await other.draft(
      (draft) => "link_2" in draft.nodes || "post" in draft.nodes,
    );
    expect(nodes).toMatchObject({ each: { type: "for_each@1" }, link: { parent: "each" } });
    expect(Object.keys(nodes)).toHaveLength(4);
  });

  it("pans a thousand steps", async () => {
    const tab = await openEditor("many-1000");
    await tab.shows(/Step \d/, ".react-flow");
    const { page } = tab;
    const transform = (): Promise<unknown> =>
      page.evaluate("document.querySelector('.react-flow__viewport').style.transform");
    const before = await transform();
    const canvas = await tab.middleOf(".oxe-canvas");
    await page.mouse.move(canvas.x - 380, canvas.y);
    await page.mouse.down();
    await page.mouse.move(canvas.x - 300, canvas.y - 200, { steps: 20 });
    await page.mouse.up();
    await eventually(transform, (now) => now !== before);
    // Only what can be seen is drawn.
    expect(await tab.count(".react-flow__node")).toBeLessThan(1_000);
  });
}
