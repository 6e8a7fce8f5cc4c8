/** The short form of `make chaos`: a few faults under the auditor, and planted violations that the auditor must find. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@oxbow/sdk/testing";
import { afterAll, describe, expect, it } from "vitest";
import { FAULTS } from "./faults/table.ts";
import { MUTANTS } from "./mutants.ts";
import { audit, PROMISES } from "./promises/audit.ts";
import type { Facts } from "./promises/facts.ts";
import type { Entry } from "./record.ts";
import { runTrial } from "./trial.ts";
import type { Load } from "./workload/plan.ts";
import { Auditor } from "./world/auditor.ts";
import { USUAL_SETTINGS, World } from "./world/world.ts";

/** Some of everything; little, since other tests run at the same time. */
const FEW: Partial<Load> = {
  runs: {
    chain: 4,
    fan: 2,
    nap: 2,
    wait: 3,
    family: 1,
    undo: 1,
    book: 2,
    flaky: 1,
    stream: 1,
    order: 2,
    query: 2,
  },
  cancels: 1,
  messages: 10,
  groups: 2,
  notes: 3,
  overMs: 1_500,
};

const SHORT = ["worker killed", "postgres restarted at once", "SQLSTATE 53100"];

const folder = mkdtempSync(join(tmpdir(), "oxbow-audit-"));
let record: { readonly entries: readonly Entry[]; readonly facts: Facts } | undefined;

const auditor = await Auditor.start(folder);
const world = await World.start({
  auditor,
  folder,
  workers: { direct: 2, http: 1 },
  cluster: () => startPostgres({ durable: false, settings: USUAL_SETTINGS }),
});

afterAll(async () => {
  await world.close();
  await auditor.stop();
  rmSync(folder, { recursive: true });
});

it.each(SHORT)(
  "all promises are kept: %s",
  async (name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (fault === undefined) throw new Error(`There is no fault "${name}".`);
    const outcome = await runTrial({
      fault: { ...fault, load: FEW },
      world,
      trial: name.replaceAll(" ", "-"),
      seed: 1,
      verbose: true,
    });
    expect(outcome.violations).toEqual([]);
    expect(outcome.acknowledged).toBeGreaterThan(40);
    expect(outcome.effects).toBeGreaterThan(40);
    const { entries, facts } = outcome.verdict;
    if (entries !== undefined && facts !== undefined) record ??= { entries, facts };
  },
  240_000,
);

describe("the auditor finds", () => {
  const request = { trial: "planted", url: "", ticksSince: "" };

  it("nothing in a trial that went well", () => {
    if (record === undefined) throw new Error("No trial went well.");
    expect(audit(record.entries, record.facts, request).violations).toEqual([]);
  });

  it.each(MUTANTS)("what breaks the promise: $name", ({ breaks, plant }) => {
    if (record === undefined) throw new Error("No trial went well.");
    const planted = plant(record);
    const undisturbed = { ...request, once: { except: "" } };
    const { violations } = audit(planted.entries, planted.facts, undisturbed);
    expect(violations.map(({ promise }) => promise)).toContain(breaks);
  });

  it("a breach of each promise", () => {
    const broken = new Set(MUTANTS.map(({ breaks }) => breaks));
    expect(Object.keys(PROMISES).filter((promise) => !broken.has(promise))).toEqual([]);
  });
});
