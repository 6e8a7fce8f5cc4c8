/** pg_dump and restore, which lose nothing: by Debian's programs, since the embedded Postgres comes without. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releasedVersions } from "../../extension-sql/released.ts";
import { connectTo } from "../helpers/connected.ts";
import { installDebianExtension } from "../helpers/debian-extension.ts";
import { debianPostgres } from "../helpers/debian-postgres.ts";
import {
  expectDeclaredSurvivors,
  fillWithDeclaredSurvivors,
} from "../helpers/declared-survivors.ts";
import { installRelease } from "../helpers/releases.ts";
import { expectSurvivors, fillWithSurvivors } from "../helpers/survivors.ts";
import { catalogSnapshot } from "./catalog-snapshot.ts";

const [OLDEST = ""] = releasedVersions();

type Install = (client: pg.Client, url: string) => Promise<void>;

const byScript: Install = async (_client, url) => {
  await migrate(url);
};
const byExtension: Install = async (client) => {
  await client.query("create extension oxbow; select queue.migrate()");
};
const byScriptOf: Install = async (client, url) => {
  await installRelease(client, OLDEST);
  await migrate(url);
};
const byExtensionOf: Install = async (client) => {
  await client.query(`create extension oxbow version '${OLDEST}'; select queue.migrate()`);
  await client.query("alter extension oxbow update");
  await client.query("select queue.migrate()");
};

/** Dumps into a file and restores from it. */
type Move = (from: string, to: string, file: string) => void;

const run = (program: string, ...arguments_: string[]): void => {
  execFileSync(join(debianPostgres.binDir, program), arguments_, { stdio: "pipe" });
};
const asText: Move = (from, to, file) => {
  run("pg_dump", "--file", file, from);
  run("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", file, to);
};
const asArchive: Move = (from, to, file) => {
  run("pg_dump", "--format", "custom", "--file", file, from);
  run("pg_restore", "--exit-on-error", "--dbname", to, file);
};

describe.runIf(debianPostgres.isInstalled && debianPostgres.canInstallExtensions)(
  "a dump (needs postgresql-15 and its development files, and root)",
  () => {
    let cluster: Cluster;
    let uninstall: () => void;
    let directory: string;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "oxbow-dump-"));
      uninstall = await installDebianExtension();
      cluster = await startPostgres({ durable: false, binDir: debianPostgres.binDir });
    });
    afterAll(async () => {
      await cluster.stop({ mode: "immediate" });
      uninstall();
      rmSync(directory, { recursive: true });
    });

    it.each([
      ["script", "text", byScript, asText],
      ["extension", "archive", byExtension, asArchive],
      [`script over ${OLDEST}`, "archive", byScriptOf, asArchive],
      [`extension over ${OLDEST}`, "text", byExtensionOf, asText],
    ] as const)(
      "of an installation by %s, as %s, brings back everything in flight",
      async (how, format, install, move) => {
        const name = `${how}_${format}`.replaceAll(/[^a-z0-9]+/g, "_");
        const [from, to] = [
          await cluster.createDatabase(`${name}_from`),
          await cluster.createDatabase(`${name}_to`),
        ];
        const [source, target] = [await connectTo(from), await connectTo(to)];
        await install(source, from);
        await fillWithSurvivors(source);

        move(from, to, join(directory, name));
        expect(await catalogSnapshot(target)).toEqual(await catalogSnapshot(source));
        // A restored database holds still until it is released.
        expect(await target.query("select state from queue.incarnation()")).toMatchObject({
          rows: [{ state: "held" }],
        });
        await target.query("select queue.release_incarnation('live')");
        await expectSurvivors(to, target, true);
        // The source continues, too: a dump is a fork.
        await expectSurvivors(from, source);
      },
    );

    it.each([
      ["script", "archive", byScript, asArchive],
      ["extension", "text", byExtension, asText],
    ] as const)(
      "of an installation by %s, as %s, brings back definitions, approvals and protected tables",
      async (how, format, install, move) => {
        const [from, to] = [
          await cluster.createDatabase(`declared_${how}_from`),
          await cluster.createDatabase(`declared_${how}_to`),
        ];
        const [source, target] = [await connectTo(from), await connectTo(to)];
        await install(source, from);
        await fillWithDeclaredSurvivors(from, source);

        move(from, to, join(directory, `declared_${how}_${format}`));
        await target.query("select queue.release_incarnation('live')");
        await expectDeclaredSurvivors(to, target);
        await expectDeclaredSurvivors(from, source);
      },
    );
  },
);
