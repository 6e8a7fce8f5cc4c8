/**
 * Errors that say nothing about a run, raised where its journal is written: a trigger raises each for the first few
 * inserts. A run that meets one is as healthy as before.
 */
import type { Fault } from "../fault.ts";
import { atLeast, eventually } from "../../helpers/eventually.ts";

const CODES: Readonly<Record<string, string>> = {
  "25006": "read-only transaction",
  "25P04": "transaction timeout",
  "40001": "serialization failure",
  "40P01": "deadlock detected",
  "53000": "insufficient resources",
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "53400": "configuration limit exceeded",
  "55000": "object not in prerequisite state",
  "55006": "object in use",
  "55P03": "lock not available",
  "57014": "query cancelled",
  "57P01": "admin shutdown",
  "57P05": "idle session timeout",
  "58000": "system error",
  "58030": "I/O error",
  "58P01": "undefined file",
  XX000: "internal error",
};

const RAISES = 6;

export const CODE_FAULTS: readonly Fault[] = Object.entries(CODES).map(([code, condition]) => ({
  name: `SQLSTATE ${code}`,
  injects: `the first ${RAISES} inserts into the journal raise ${code} (${condition})`,
  load: {
    runs: { chain: 8, nap: 4, book: 4, undo: 2, stream: 1 },
    messages: 5,
    notes: 2,
    cancels: 0,
    overMs: 1_500,
  },
  inject: async ({ world }) => {
    await world.query(
      `create sequence audit_raised;
       create function audit_raise() returns trigger language plpgsql security definer as $$
       begin
         if new.run_id is not null and nextval('public.audit_raised') <= ${RAISES} then
           raise exception 'a fault was injected' using errcode = '${code}';
         end if;
         return new;
       end $$;
       create trigger audit_raise before insert on queue.workflow_step
         for each row execute function audit_raise()`,
    );
    try {
      await eventually(
        async () =>
          Number((await world.query("select last_value from audit_raised"))[0]?.["last_value"]),
        atLeast(RAISES),
        { withinMs: 30_000 },
      );
    } finally {
      await world.query(
        "drop trigger audit_raise on queue.workflow_step; drop function audit_raise; drop sequence audit_raised",
      );
    }
  },
}));
