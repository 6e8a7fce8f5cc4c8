import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Schedule, ticksQuery } from "../../api/schedules.ts";
import { fullTimeIn, localZone } from "../../format/time.ts";
import { Answered } from "../../parts/answered.tsx";
import { DetailsDialog } from "../../parts/details-dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const TICKS = 10;

/** Opens the next ticks of a schedule, in its own time zone and in that of the browser. */
export function NextTicks({ schedule }: { schedule: Schedule }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link"
        aria-label={`more ticks of ${schedule.name}`}
        onClick={() => setOpen(true)}
      >
        more
      </button>
      <DetailsDialog
        title={({ name }) => `Next ticks of ${name}`}
        of={isOpen ? schedule : undefined}
        onClose={() => setOpen(false)}
      >
        {() => <Ticks schedule={schedule} />}
      </DetailsDialog>
    </>
  );
}

function Ticks({ schedule }: { schedule: Schedule }): ReactNode {
  const zone = schedule.cron === null ? "UTC" : schedule.timeZone;
  const columns: readonly Column<string>[] = [
    { title: zone, cell: (tick) => fullTimeIn(new Date(tick), zone) },
    { title: localZone(), cell: (tick) => fullTimeIn(new Date(tick), localZone()) },
    { title: "From now", wide: true, cell: (tick) => <Time at={tick} /> },
  ];
  return (
    <Answered query={useQuery(ticksQuery(schedule, TICKS))}>
      {({ ticks }) => (
        <Table
          caption="Ticks"
          // The same zone twice would say nothing.
          columns={zone === localZone() ? columns.slice(1) : columns}
          rows={ticks}
          keyOf={(tick) => tick}
          empty={<Empty title="The schedule has no more ticks." />}
        />
      )}
    </Answered>
  );
}
