/** Door `@oxbow/editor/check-worker`: the checker, to be run by a web worker, which `checkWorker` of the editor makes. */
import { type Catalog, checkDocument } from "@oxbow/declared/check";
import { editorCatalog } from "./catalog/editor-catalog.ts";
import type { CheckAnswer, CheckRequest } from "./check/check-messages.ts";

let catalog: Catalog | undefined;

globalThis.addEventListener("message", ({ data }: MessageEvent<CheckRequest>) => {
  if (data.kind === "catalog") {
    catalog = editorCatalog(data.catalog).forChecks;
    return;
  }
  if (catalog === undefined) throw new Error("The catalog comes before the first document.");
  const { problems } = checkDocument(data.document, catalog);
  globalThis.postMessage({ problems } satisfies CheckAnswer, { transfer: [] });
});
