/** Schedules, their last and their next tick. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type Schedule, schedulesQuery } from "../../api/schedules.ts";
import { duration } from "../../format/duration.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { FullTime, Time } from "../../parts/time.tsx";
import { May, useMay } from "../../shell/may.tsx";
import { NextTicks } from "./next-ticks.tsx";
import { ScheduleActions } from "./schedule-actions.tsx";
import { ScheduleForm } from "./schedule-form.tsx";

const COLUMNS: readonly Column<Schedule>[] = [
  {
    title: "Schedule",
    kind: "long",
    cell: ({ name }) => (
      // Runs of a schedule have a tag of it.
      <Link to="/runs" search={{ tags: JSON.stringify({ schedule: name }) }}>
        {name}
      </Link>
    ),
  },
  {
    title: "Workflow",
    cell: ({ workflow }) => (
      <Link to="/runs" search={{ workflow }}>
        {workflow}
      </Link>
    ),
  },
  {
    title: "When",
    cell: ({ cron, everySeconds, timeZone }) =>
      cron === null ? (
        `every ${duration((everySeconds ?? 0) * 1_000)}`
      ) : (
        <>
          <code>{cron}</code> {timeZone}
        </>
      ),
  },
  {
    title: "Next",
    cell: (schedule) =>
      schedule.pausedAt === null ? (
        <>
          <FullTime at={schedule.nextTickAt} />
          <div className="soft">
            <Time at={schedule.nextTickAt} /> · <NextTicks schedule={schedule} />
          </div>
        </>
      ) : (
        <>
          <Badge text="paused" /> {schedule.pauseReason}
        </>
      ),
  },
  {
    title: "Last",
    wide: true,
    cell: ({ lastRunId, lastTickAt }) =>
      lastRunId === null ? (
        <Time at={lastTickAt} />
      ) : (
        <Link to="/runs/$runId" params={{ runId: lastRunId }}>
          {lastTickAt === null ? `run ${lastRunId}` : <Time at={lastTickAt} />}
        </Link>
      ),
  },
];

const ACTIONS: Column<Schedule> = {
  title: "Actions",
  cell: (schedule) => <ScheduleActions schedule={schedule} />,
};

export function SchedulesPage(): ReactNode {
  const query = useQuery(schedulesQuery);
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Schedules"
      actions={
        <May scope="admin">
          <button type="button" className="primary" onClick={() => setCreating(true)}>
            Create a schedule
          </button>
        </May>
      }
    >
      {isCreating ? <ScheduleForm isOpen onClose={() => setCreating(false)} /> : null}
      <Answered query={query}>
        {({ schedules }) => (
          <Table
            caption="Schedules"
            columns={may("produce") ? [...COLUMNS, ACTIONS] : COLUMNS}
            rows={schedules}
            keyOf={({ name }) => name}
            empty={
              <Empty title="No schedule yet.">
                <p>
                  A schedule starts runs by the clock. Create one here, or in your code:{" "}
                  <code>client.schedules.create</code>.
                </p>
              </Empty>
            }
          />
        )}
      </Answered>
    </Page>
  );
}
