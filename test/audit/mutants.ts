/** Violations, each planted into the record of a trial without any. */
import type { Facts } from "./promises/facts.ts";
import type { Entry } from "./record.ts";

interface TrialRecord {
  readonly entries: readonly Entry[];
  readonly facts: Facts;
}

export interface Mutant {
  readonly name: string;
  /** Which promise it breaks. */
  readonly breaks: string;
  readonly plant: (record: TrialRecord) => TrialRecord;
}

type Of<Kind extends Entry["kind"]> = Extract<Entry, { kind: Kind }>;

function first<Value>(values: readonly Value[], fits: (value: Value) => boolean): Value {
  const found = values.find(fits);
  if (found === undefined) throw new Error(`Nothing in the record fits ${String(fits)}.`);
  return found;
}

const firstOf = <Kind extends Entry["kind"]>(
  { entries }: TrialRecord,
  kind: Kind,
  fits: (entry: Of<Kind>) => boolean = () => true,
): Of<Kind> =>
  first(entries, (entry) => entry.kind === kind && fits(entry as Of<Kind>)) as Of<Kind>;

const isStart = (entry: Of<"acknowledged">): boolean => entry.verb === "start";

const startOf = (record: TrialRecord, workflow: string): Of<"acknowledged"> =>
  firstOf(
    record,
    "acknowledged",
    (entry) => isStart(entry) && entry.item.what === "run" && entry.item.workflow === workflow,
  );

const withEntry = ({ entries, facts }: TrialRecord, entry: Entry): TrialRecord => ({
  entries: [...entries, entry],
  facts,
});

/** Replaces one of a list. */
const replaced = <Value>(
  values: readonly Value[],
  one: Value,
  ...by: readonly Value[]
): readonly Value[] => values.flatMap((value) => (value === one ? by : [value]));

const withFacts = ({ entries, facts }: TrialRecord, changed: Partial<Facts>): TrialRecord => ({
  entries,
  facts: { ...facts, ...changed },
});

const replaceEntry = ({ entries, facts }: TrialRecord, one: Entry, by: Entry): TrialRecord => ({
  entries: replaced(entries, one, by),
  facts,
});

const changeRun = (
  record: TrialRecord,
  workflow: string,
  change: Partial<Facts["runs"][number]>,
): TrialRecord => {
  const run = first(record.facts.runs, (one) => one.workflow === workflow);
  return withFacts(record, { runs: replaced(record.facts.runs, run, { ...run, ...change }) });
};

const resultOf = (record: TrialRecord, workflow: string): Of<"acknowledged"> =>
  firstOf(
    record,
    "acknowledged",
    ({ verb, item }) => verb === "result" && item.what === "run" && item.workflow === workflow,
  );

const RUNS = "runs end once";
const IDS = "ids name one thing";

export const MUTANTS: readonly Mutant[] = [
  {
    name: "an acknowledged run is gone",
    breaks: RUNS,
    plant: (record) => {
      const id = startOf(record, "chain").answer;
      return withFacts(record, { runs: record.facts.runs.filter(({ run }) => run !== id) });
    },
  },
  {
    name: "a run never ends",
    breaks: RUNS,
    plant: (record) => changeRun(record, "chain", { status: "running", output: null }),
  },
  {
    name: "a run returns something else",
    breaks: RUNS,
    plant: (record) => changeRun(record, "fan", { output: -1 }),
  },
  {
    name: "an answer ends another wait",
    breaks: RUNS,
    plant: (record) => changeRun(record, "order", { output: [3, null, true] }),
  },
  {
    name: "a healthy run is poisoned",
    breaks: RUNS,
    plant: (record) =>
      changeRun(record, "nap", {
        status: "failed",
        output: null,
        error: { code: "POISONED_RUN", message: "planted" },
      }),
  },
  {
    name: "a run that must fail completes",
    breaks: RUNS,
    plant: (record) => changeRun(record, "undo", { status: "completed", error: null }),
  },
  {
    name: "one start makes two runs",
    breaks: RUNS,
    plant: (record) => withEntry(record, { ...startOf(record, "chain"), answer: "999999" }),
  },
  {
    name: "one id names two runs",
    breaks: IDS,
    plant: (record) => {
      const [one, other] = [startOf(record, "chain"), startOf(record, "fan")];
      return replaceEntry(record, other, { ...other, answer: one.answer });
    },
  },
  {
    name: "the id of a run names a stranger's",
    breaks: IDS,
    plant: (record) => changeRun(record, "chain", { key: "planted" }),
  },
  {
    name: "the holder of an id is given a stranger's result",
    breaks: IDS,
    plant: (record) => withEntry(record, { ...resultOf(record, "chain"), answer: { output: -1 } }),
  },
  {
    name: "one id names two messages",
    breaks: IDS,
    plant: (record) => {
      const sent = firstOf(record, "acknowledged", ({ verb }) => verb === "send");
      return withEntry(record, { ...sent, op: "planted" });
    },
  },
  {
    name: "a child fails",
    breaks: "children end",
    plant: (record) => changeRun(record, "leaf", { status: "failed", output: null }),
  },
  {
    name: "a client is given another result",
    breaks: "results are kept",
    plant: (record) => {
      const result = resultOf(record, "chain");
      return replaceEntry(record, result, { ...result, answer: { output: -1 } });
    },
  },
  {
    name: "a call is never acknowledged",
    breaks: "calls come through",
    plant: (record) => {
      const { trial, op, verb, at } = startOf(record, "chain");
      return withEntry(record, { kind: "given-up", trial, op, verb, at, error: "planted" });
    },
  },
  {
    name: "a cancelled run completes",
    breaks: "cancels hold",
    plant: (record) => {
      const id = startOf(record, "chain").answer;
      const cancel = firstOf(record, "acknowledged", ({ verb }) => verb === "cancel");
      return replaceEntry(record, cancel, {
        ...cancel,
        item: { what: "cancel", run: String(id) },
        answer: true,
      });
    },
  },
  {
    name: "a callback is called again when its step is durable",
    breaks: "journaled steps stay",
    plant: (record) => {
      const later = firstOf(record, "began", ({ after }) => after.length > 0);
      const step = later.after[0] ?? "";
      return withEntry(record, { ...later, call: "planted", step, after: [], at: later.at + 1 });
    },
  },
  {
    name: "a callback is called again long after its step was journaled",
    breaks: "journaled steps stay",
    plant: (record) => {
      const row = first(record.facts.steps, ({ step }) => step === "a");
      const call = firstOf(
        record,
        "began",
        ({ run, step }) => run === row.run && step === row.step,
      );
      const wall = row.completedAt + 5_000;
      return withEntry(record, { ...call, call: "planted", wall, at: call.at + 5_000 });
    },
  },
  {
    name: "a row of a journal is lost",
    breaks: "steps are kept",
    plant: (record) => {
      const { answer } = startOf(record, "chain");
      const row = first(record.facts.steps, ({ run, step }) => run === answer && step === "s2");
      return withFacts(record, { steps: replaced(record.facts.steps, row) });
    },
  },
  {
    name: "a journal has a place twice",
    breaks: "steps are kept",
    plant: (record) => {
      const { answer } = startOf(record, "chain");
      const row = first(record.facts.steps, ({ run, step }) => run === answer && step === "s2");
      return withFacts(record, {
        steps: replaced(record.facts.steps, row, { ...row, position: 1 }),
      });
    },
  },
  {
    name: "a step books twice",
    breaks: "the ledger is exact",
    plant: (record) => {
      const row = first(record.facts.ledger, () => true);
      return withFacts(record, { ledger: replaced(record.facts.ledger, row, { ...row, rows: 2 }) });
    },
  },
  {
    name: "a journaled step has booked nothing",
    breaks: "the ledger is exact",
    plant: (record) => withFacts(record, { ledger: record.facts.ledger.slice(1) }),
  },
  {
    name: "the first step is rolled back first",
    breaks: "rollbacks are in order",
    plant: (record) => {
      const call = firstOf(record, "began", ({ step }) => step === "undo-s0");
      return replaceEntry(record, call, { ...call, at: 0 });
    },
  },
  {
    name: "a step is not rolled back",
    breaks: "rollbacks are in order",
    plant: (record) => {
      const call = firstOf(record, "began", ({ step }) => step === "undo-s1");
      return {
        ...record,
        entries: record.entries.filter(
          (entry) => entry.kind !== "began" || entry.run !== call.run || entry.step !== call.step,
        ),
      };
    },
  },
  {
    name: "a callback is called twice without a reason",
    breaks: "calls are not repeated",
    plant: (record) => {
      const call = firstOf(record, "began", ({ after }) => after.length === 0);
      return withEntry(record, { ...call, call: "planted", at: call.at + 1 });
    },
  },
  {
    name: "a callback does not abort though another worker has its run",
    breaks: "lost callbacks abort",
    plant: (record) => {
      const end = firstOf(record, "ended");
      const call = firstOf(record, "began", (entry) => entry.call === end.call);
      const later = { ...call, call: "planted", pid: -1, at: call.at + 100 };
      return withEntry(replaceEntry(record, end, { ...end, at: call.at + 10_000 }), later);
    },
  },
  {
    name: "a stream mixes two answers",
    breaks: "streams are whole",
    plant: (record) => {
      const row = first(record.facts.steps, ({ step }) => step === "answer");
      const chunks = ["another-0", ...(row.output as unknown[]).slice(1)];
      const { trial } = firstOf(record, "began");
      return withEntry(record, { kind: "streamed", trial, run: row.run, at: 0, chunks });
    },
  },
  {
    name: "a sleep ends a millisecond early",
    breaks: "sleeps are never early",
    plant: (record) => {
      // Not the other way round: a cancelled run sleeps and never wakes.
      const woke = firstOf(record, "woke");
      const slept = firstOf(
        record,
        "slept",
        ({ run, step }) => run === woke.run && step === woke.step,
      );
      return replaceEntry(record, woke, { ...woke, at: slept.at + slept.ms - 1 });
    },
  },
  {
    name: "a retry begins a millisecond early",
    breaks: "sleeps are never early",
    plant: (record) => {
      const callOf = (id: string) => firstOf(record, "began", (entry) => entry.call === id);
      // Steps that book repeat their transaction without a pause.
      const end = firstOf(
        record,
        "ended",
        (entry) => entry.threw && !callOf(entry.call).step.startsWith("book"),
      );
      const call = callOf(end.call);
      return withEntry(record, { ...call, call: "planted", at: end.at + 199, wall: 0 });
    },
  },
  {
    name: "an acknowledged message is never delivered",
    breaks: "messages arrive",
    plant: (record) => {
      const { item } = firstOf(record, "acknowledged", (sent) => sent.item.what === "message");
      const isOf = (entry: Entry): boolean =>
        item.what === "message" &&
        entry.kind === "handled" &&
        entry.queue === item.queue &&
        entry.group === item.group &&
        entry.number === item.number;
      return { ...record, entries: record.entries.filter((entry) => !isOf(entry)) };
    },
  },
  {
    name: "a message is acknowledged in two transactions",
    breaks: "messages arrive",
    plant: (record) => {
      const row = first(record.facts.inbox, () => true);
      return withFacts(record, { inbox: replaced(record.facts.inbox, row, { ...row, rows: 2 }) });
    },
  },
  {
    name: "a message is acknowledged without the row of its handler",
    breaks: "messages arrive",
    plant: (record) => withFacts(record, { inbox: record.facts.inbox.slice(1) }),
  },
  {
    name: "a message is left over",
    breaks: "messages arrive",
    plant: (record) => withFacts(record, { left: [{ queue: "planted", count: 1 }] }),
  },
  {
    name: "a message overtakes the one before",
    breaks: "groups keep order",
    plant: (record) => {
      const second = firstOf(
        record,
        "handled",
        ({ group, number }) => group !== "" && number === 1,
      );
      return replaceEntry(record, second, { ...second, at: 0 });
    },
  },
  {
    name: "a message comes back after its acknowledgement",
    breaks: "groups keep order",
    plant: (record) => {
      const settled = firstOf(record, "settled");
      const handled = firstOf(
        record,
        "handled",
        ({ queue, message }) => queue === settled.queue && message === settled.message,
      );
      return withEntry(record, { ...handled, call: "planted", at: settled.at + 1 });
    },
  },
  {
    name: "a note misses one queue",
    breaks: "notes fan out",
    plant: (record) => ({
      ...record,
      entries: record.entries.filter(
        (entry) => entry.kind !== "handled" || entry.queue !== "audit-left" || entry.number !== 0,
      ),
    }),
  },
  {
    name: "a note arrives twice",
    breaks: "notes fan out",
    plant: (record) => {
      const copy = firstOf(record, "handled", ({ queue }) => queue === "audit-left");
      const copies = [1, 2, 3, 4, 5].map((n) => ({ ...copy, message: `planted-${n}` }));
      return { ...record, entries: [...record.entries, ...copies] };
    },
  },
  {
    name: "a note starts no run",
    breaks: "notes fan out",
    plant: (record) => {
      const run = first(record.facts.runs, ({ workflow }) => workflow === "noted");
      return withFacts(record, { runs: replaced(record.facts.runs, run) });
    },
  },
  {
    name: "a tick is missing",
    breaks: "ticks are exact",
    plant: (record) => {
      const ticks = [0, 2_000, 6_000].map((at) => ({ at, runs: 1 }));
      return withFacts(record, { ticks });
    },
  },
  {
    name: "a tick starts two runs",
    breaks: "ticks are exact",
    plant: (record) => withFacts(record, { ticks: [{ at: 0, runs: 2 }] }),
  },
  {
    name: "an invariant of the database is broken",
    breaks: "invariants hold",
    plant: (record) => withFacts(record, { invariants: ["planted"] }),
  },
];
