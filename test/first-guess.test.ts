/**
 * The first-guess test of the nouns of declared workflows: a person who knows what something is called in one of SDK, SQL,
 * REST and command line finds it in the others by searching for these words. Names are read from what exists: the client's
 * objects, the functions of the database, the OpenAPI document and the subcommands of `oxbow`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { definitionsOf } from "@oxbow/declared/client";
import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProgram } from "../server/src/cli/program.ts";
import { createDatabase } from "./helpers/database.ts";
import { startTestServer } from "./helpers/server.ts";

const ROOMS = ["definitions", "approvals", "references", "resources", "config", "catalog"] as const;
type Room = (typeof ROOMS)[number];
/** The word that a name must have, besides the words of the method. */
const NOUNS: Record<Room, string> = {
  definitions: "",
  approvals: "approval",
  references: "reference",
  resources: "resource",
  config: "config",
  catalog: "",
};
const FOLDERS: Record<Room, readonly string[]> = {
  definitions: ["definition", "trigger"],
  approvals: ["approval"],
  references: ["resource"],
  resources: ["resource"],
  config: ["definition"],
  catalog: ["catalog", "trigger"],
};
type Door = "sql" | "rest" | "cli";

const database = await createDatabase();

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(/[\s_-]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/s$/, ""));

/** Names of a client's object, those of its classes included. */
function methodsOf(room: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(room);
  if (typeof prototype !== "object" || prototype === null || prototype === Object.prototype) {
    return [];
  }
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return [...own, ...methodsOf(prototype)];
}

function inSdk(): Record<Room, readonly string[]> {
  const client = createWorkflowClient({ url: database.url });
  onTestFinished(() => client.close());
  const definitions = definitionsOf(client);
  const { references, resources, config, catalog } = definitions;
  const { approvals } = client;
  const rooms = { definitions, approvals, references, resources, config, catalog };
  return Object.fromEntries(ROOMS.map((room) => [room, methodsOf(rooms[room])])) as never;
}

/** Public functions of the noun, by the folders of their sources. */
function inSql(room: Room): string[] {
  return FOLDERS[room].flatMap((folder) =>
    readdirSync(new URL(`../extension-sql/src/${folder}/`, import.meta.url))
      .filter((file) => file.endsWith(".sql"))
      .map((file) => file.slice(0, -".sql".length)),
  );
}

/** Operations with their paths, without those of workers. */
async function inRest(): Promise<string[]> {
  const { url } = await startTestServer(database);
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly paths: Record<
      string,
      Record<string, { readonly operationId: string; readonly tags: readonly string[] }>
    >;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ tags }) => tags.some((tag) => ["Definitions", "Approvals"].includes(tag)))
      .map(({ operationId }) => `${operationId} ${path.replaceAll(/[/{}]/g, " ")}`),
  );
}

const inCli = (room: Room): string[] =>
  makeProgram()
    .commands.filter((command) => command.name() === room)
    .flatMap(({ commands }) => commands.map((command) => command.name()));

/** The names of a noun in each door. */
const namesOf: Record<Door, () => Promise<(room: Room) => readonly string[]>> = {
  sql: () => Promise.resolve((room) => inSql(room).filter((name) => isOf(room, name))),
  rest: async () => {
    const names = await inRest();
    return (room) => names.filter((name) => isOf(room, name));
  },
  cli: () => Promise.resolve(inCli),
};

const isOf = (room: Room, name: string): boolean => isIn(wordsOf(NOUNS[room]), wordsOf(name));

/** Whether one of the names has all words of another one. */
const finds = (names: readonly string[], wanted: string): boolean =>
  names.some((name) => isIn(wordsOf(wanted), wordsOf(name)));

const isIn = (words: readonly string[], others: readonly string[]): boolean =>
  words.every((word) => others.includes(word));

/** Methods that have other words in a door, or are absent there, with the reason. */
const ELSEWHERE: Readonly<Record<Door, Readonly<Record<string, string>>>> = {
  sql: {
    "definitions.validate": "the checker is no SQL",
    "definitions.diff": "the checker is no SQL",
    "definitions.export": "definition_documents",
    "definitions.rerun": "the checker finds where a node began: workflow_rerun",
    "definitions.progress": "the interpreter folds the journal: workflow_journal",
    "definitions.testNode": "definition_test(only => …)",
    "definitions.followProgress": "a stream of a client",
    "references.assertNone": "assert_unreferenced",
  },
  rest: {
    "definitions.export": "getDefinitionVersion",
    "definitions.move": "saveLayout",
    "references.to": "listReferences",
    "catalog.nodeTypes": "getCatalog",
    "resources.protect": "for the owner of the table, who has a connection",
    "resources.unprotect": "for the owner of the table, who has a connection",
  },
  cli: {
    "definitions.create": "apply",
    "definitions.save": "apply",
    "definitions.draft": "show, export",
    "definitions.get": "show",
    "definitions.version": "export",
    "definitions.versions": "show",
    "definitions.move": "for canvases",
    "definitions.testNode": "test --only",
    "definitions.progress": "oxbow runs show",
    "definitions.followProgress": "oxbow runs show",
    "approvals.get": "list",
    "approvals.link": "links are for messages that programs send",
    "references.to": "oxbow references",
    "references.set": "for programs that store conditions",
    "references.assertNone": "for programs that delete",
    "resources.types": "list",
    "catalog.nodeTypes": "list",
    "catalog.triggerTypes": "triggers",
  },
};

describe("what client.<noun> can do", () => {
  it.each(["sql", "rest", "cli"] as const)("is found by the same words in %s", async (door) => {
    const [sdk, names] = [inSdk(), await namesOf[door]()];
    const missing = ROOMS.flatMap((room) =>
      sdk[room].filter((name) => !finds(names(room), name)).map((name) => `${room}.${name}`),
    );
    expect(missing.toSorted()).toEqual(Object.keys(ELSEWHERE[door]).toSorted());
  });
});

it("a subcommand of oxbow <noun> is found by the same words in client.<noun>", () => {
  const sdk = inSdk();
  const unknown = ROOMS.flatMap((room) =>
    inCli(room)
      .filter((name) => !sdk[room].some((method) => isIn(wordsOf(name), wordsOf(method))))
      .map((name) => `${room} ${name}`),
  );
  // `show` is what `get` returns, for people.
  expect(unknown).toEqual(["definitions show", "catalog list", "catalog docs"]);
});

it("names in ARCHITECTURE.md only files and folders that exist", () => {
  const root = new URL("../", import.meta.url);
  const text = readFileSync(new URL("ARCHITECTURE.md", root), "utf8");
  const folders = readdirSync(root);
  const paths = [...text.matchAll(/`([\w.@-]+\/[\w./@-]*)`/g)]
    .map(([, path = ""]) => path)
    .filter((path) => folders.includes(path.split("/")[0] ?? ""));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
