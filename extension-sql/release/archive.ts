/** The archive of the extension as PGXN distributes it: the built scripts, so that a database server needs no Node. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync, type Zippable } from "fflate";

/** https://pgxn.org/spec/ */
function pgxnMeta(version: string): object {
  return {
    name: "oxbow",
    abstract: "Durable workflows, queues and topics inside PostgreSQL",
    description:
      "SQS-like queues with FIFO message groups, topics, schedules, and durable workflows whose state is ordinary rows. Workers use the SDK for TypeScript or plain SQL.",
    version,
    maintainer: "The Oxbow authors",
    license: "apache_2_0",
    provides: {
      oxbow: {
        abstract: "Durable workflows, queues and topics",
        file: `dist/extension/oxbow--${version}.sql`,
        docfile: "README.md",
        version,
      },
    },
    prereqs: { runtime: { requires: { PostgreSQL: "15.0.0" } } },
    release_status: "stable",
    tags: ["queue", "workflow", "durable execution", "jobs", "pubsub", "scheduler"],
    "meta-spec": { version: "1.0.0", url: "https://pgxn.org/meta/spec.txt" },
  };
}

/** A zip with one folder, `oxbow-X.Y.Z/`, in which `make install` works. */
export function extensionArchive(root: string, version: string): Uint8Array {
  const extension = join(root, "extension-sql");
  const files: Zippable = {
    "META.json": strToU8(`${JSON.stringify(pgxnMeta(version), null, 2)}\n`),
    LICENSE: readFileSync(join(root, "LICENSE")),
    "Changes.md": readFileSync(join(root, "CHANGELOG.md")),
    Makefile: readFileSync(join(extension, "Makefile")),
    "README.md": readFileSync(join(extension, "README.md")),
    "oxbow.control": readFileSync(join(extension, "oxbow.control")),
  };
  for (const folder of ["dist/extension", "released"]) {
    for (const name of readdirSync(join(extension, folder)).filter((each) =>
      /\.sql(\.gz)?$/.test(each),
    )) {
      files[`${folder}/${name}`] = readFileSync(join(extension, folder, name));
    }
  }
  const inFolder = Object.entries(files).map(([path, content]) => [
    `oxbow-${version}/${path}`,
    content,
  ]);
  return zipSync(Object.fromEntries(inFolder) as Zippable, { level: 9 });
}
