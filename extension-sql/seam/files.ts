/**
 * What the layers above SQL derive from the signatures and composite types in `extension-sql/src/`, by path: the calls of
 * the SDK, of `@oxbow/declared` and of the server in `functions.ts` of each room, and the shapes that users see.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import { CALLS, DECLARED_CALLS, SERVER_CALLS } from "./functions.ts";
import { renderSchemas, renderTypes } from "./render-shapes.ts";
import { CALLS_OF_SDK, OWN_CALLS, renderRoom } from "./render.ts";
import { SHAPES } from "./shapes.ts";
import { readSources } from "./source.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The style of the repository. */
const { printWidth } = JSON.parse(readFileSync(`${ROOT}.oxfmtrc.json`, "utf8")) as {
  readonly printWidth: number;
};

export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const sources = readSources();
  const texts = [
    ...Object.entries({ sdk: CALLS, declared: DECLARED_CALLS }).flatMap(([folder, rooms]) =>
      Object.entries(rooms).map(([room, calls]) => [
        `${folder}/src/transport/postgres/${room}/functions.ts`,
        renderRoom(calls, sources, folder === "sdk" ? OWN_CALLS : CALLS_OF_SDK),
      ]),
    ),
    ...Object.entries(SERVER_CALLS).map(([room, calls]) => [
      `server/src/${room}/functions.ts`,
      renderRoom(calls, sources, CALLS_OF_SDK),
    ]),
    ...SHAPES.flatMap((room) => [
      [room.types, renderTypes(room, sources)],
      [room.schemas, renderSchemas(room, sources)],
    ]),
  ] as [string, string][];
  return new Map(
    await Promise.all(
      texts.map(async ([path, text]) => [`${ROOT}${path}`, await formatted(path, text)] as const),
    ),
  );
}

async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { printWidth });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  return code;
}
