-- Corrections of times after a clock was set back are repeated, for transactions that were under way.

create table queue.clock_correction (
  correction_id bigint generated always as identity,
  again_at      timestamptz not null,
  shown         timestamptz not null,
  lead          interval not null,
  constraint clock_correction_pkey primary key (again_at, correction_id)
);

comment on table queue.clock_correction is
  'Corrections still to come after the clock was set back: what was under way then may commit times of the wrong clock later. Usually empty.';
comment on column queue.clock_correction.correction_id is 'Distinguishes corrections at the same time.';
comment on column queue.clock_correction.again_at is 'When times are corrected again.';
comment on column queue.clock_correction.shown is 'The latest time that the wrong clock is known to have shown.';
comment on column queue.clock_correction.lead is 'How far it was ahead.';
