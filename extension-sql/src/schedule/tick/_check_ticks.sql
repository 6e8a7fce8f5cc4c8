create or replace function queue._check_ticks(
  name         text,
  ticks        timestamptz[],
  next_tick_at timestamptz,
  done_until   timestamptz,
  due_until    timestamptz
)
returns void
language plpgsql
stable
as $function$
declare
  v_last    constant timestamptz := ticks[cardinality(ticks)];
  v_problem text;
begin
  if cardinality(ticks) > 1000 then
    v_problem := format('%s ticks at once: at most 1000 are allowed', cardinality(ticks));
  elsif next_tick_at <= greatest(v_last, done_until) then
    v_problem := format('next tick %s is not after %s', next_tick_at, greatest(v_last, done_until));
  else
    select
      case
        when t.tick is null or t.tick <> date_trunc('second', t.tick) then
          format('invalid tick %s: a tick is a whole second', coalesce(t.tick::text, 'null'))
        when t.tick <= t.previous then format('tick %s is not after %s', t.tick, t.previous)
        else format('tick %s is not due before %s', t.tick, due_until)
      end
    into v_problem
    from (
      select i.tick, coalesce(lag(i.tick) over (order by i.position), done_until) as previous
      from unnest(ticks) with ordinality as i (tick, position)
    ) as t
    where t.tick is null
      or t.tick <> date_trunc('second', t.tick)
      or t.tick <= t.previous
      or t.tick > due_until
    limit 1;
  end if;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null,
      format('The clock of the database determines which ticks of schedule "%s" are due: see schedule_tick().', name));
  end if;
end
$function$;

comment on function queue._check_ticks(text, timestamptz[], timestamptz, timestamptz, timestamptz) is
$comment$Checks the ticks that a ticker reports, which may have a wrong clock.
done_until: up to when ticks have been carried out.
due_until: the latest time at which a tick can be due.
Errors: OX004 invalid argument.$comment$;
