/** Documents of definitions as files: read, and written in one form, so that git shows real changes only. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { DefinitionDocument } from "@oxbow/declared/client";
import { findInexactNumber } from "@oxbow/sdk/internal/server";
import { usageError } from "../../exit-codes.ts";
import { messageOf } from "../../../message-of.ts";

/** Whether an argument is a file rather than the name of a definition. */
export const isFile = (argument: string): boolean => argument === "-" || /[./\\]/.test(argument);

/** The documents in files, in the `.json` files of folders, or on standard input (`-`). A file has one, or an array. */
export async function readDocuments(paths: readonly string[]): Promise<DefinitionDocument[]> {
  const texts = await Promise.all(
    paths.flatMap(filesIn).map(async (path) => ({
      path,
      text: path === "-" ? await readAll(process.stdin) : readText(path),
    })),
  );
  return texts.flatMap(({ path, text }) => parseDocuments(text, path));
}

function filesIn(path: string): string[] {
  if (path === "-") return [path];
  try {
    if (!statSync(path).isDirectory()) return [path];
    const files = readdirSync(path).filter((name) => name.endsWith(".json"));
    return files.toSorted().map((name) => join(path, name));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, error: unknown): Error =>
  usageError(`Can't read "${path}": ${messageOf(error)}.`);

function parseDocuments(text: string, path: string): DefinitionDocument[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`"${path}" is no JSON: ${messageOf(error)}.`);
  }
  const inexact = findInexactNumber(text);
  if (inexact !== undefined) throw usageError(`"${path}": ${inexact.path} ${inexact.problem}.`);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = items.find((item) => typeof item !== "object" || item === null);
  if (wrong === undefined) return items as DefinitionDocument[];
  throw usageError(`"${path}" has ${JSON.stringify(wrong)} in place of a document.`);
}

/** Sorted members, two spaces, a line break at the end. */
export async function canonicalText(value: unknown): Promise<string> {
  const { canonicalJson } = await import("@oxbow/declared/check");
  return `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`;
}
