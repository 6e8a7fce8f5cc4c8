import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";

interface Delivery {
  readonly run_id: string;
  readonly receipt: string;
}

const database = await createDatabase();

const receive = (name: string, leaseSeconds: number) =>
  database.query<Delivery & Record<string, unknown>>(
    "select run_id, receipt from queue.workflow_receive(array[$1], null, 1, $2)",
    [name, leaseSeconds],
  );

const commit = (name: string, run: Delivery, transition: string, result: unknown, effect = "") =>
  database.query(
    `select outcome, resolved from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4],
      array[$5::jsonb], array[null::timestamptz] ${effect})`,
    [name, run.run_id, run.receipt, transition, JSON.stringify(result)],
  );

it.each([
  ["is over", 0, "null"],
  ["is cut by a ceiling", 90, "0"],
  ["below a month is cut by a ceiling", 20, "0"],
])(
  "an ended child whose retention %s is kept until its parent has journaled it",
  async (_, days, ceiling) => {
    const name = `parent_${days}`;
    const sweep = `select queue.workflow_sweep(1000, ${ceiling}) as swept`;
    await database.query("select queue.workflow_start($1, '1'::jsonb)", [name]);
    const [parent] = await receive(name, 1);
    if (parent === undefined) throw new Error("No parent.");
    const waiting = { waits: [{ kind: "invoke", step: "child" }], retries: [], journaled: 0 };
    await commit(
      name,
      parent,
      "keep",
      waiting,
      `, effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['child'],
      effect_targets => array['child'], effect_events => array[null::text], effect_values => array['5'::jsonb],
      effect_versions => array[1], effect_retention => array[${days}]`,
    );
    const [child] = await receive("child", 30);
    if (child === undefined) throw new Error("No child.");
    await commit("child", child, "complete", 25);

    expect(await database.query(sweep)).toEqual([{ swept: 0 }]);
    const [again] = await eventually(() => receive(name, 30), { length: 1 });
    if (again === undefined) throw new Error("No parent.");
    expect(await commit(name, again, "suspend", waiting)).toEqual([
      { outcome: "ok", resolved: [{ step: "child", kind: "invoke", payload: 25 }] },
    ]);
    expect(await database.query(sweep)).toEqual([{ swept: 1 }]);
  },
);
