/**
 * The calls of the SDK, made of the signatures and composite types in `extension-sql/src/`: by path, the text of
 * `functions.ts` of each room in `sdk/src/transport/postgres/`.
 */
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { CALLS } from "./functions.ts";
import { renderRoom } from "./render.ts";
import { readSources } from "./source.ts";

const ROOMS = fileURLToPath(new URL("../../sdk/src/transport/postgres/", import.meta.url));

export async function generatedCalls(): Promise<ReadonlyMap<string, string>> {
  const sources = readSources();
  const rooms = Object.entries(CALLS).map(async ([room, calls]) => {
    const path = `${ROOMS}${room}/functions.ts`;
    const style = await resolveConfig(path);
    const text = await format(renderRoom(calls, sources), { ...style, parser: "typescript" });
    return [path, text] as const;
  });
  return new Map(await Promise.all(rooms));
}
