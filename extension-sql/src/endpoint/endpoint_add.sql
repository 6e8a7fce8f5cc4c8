create or replace function queue.endpoint_add(url text, concurrency integer default 20)
returns queue.endpoint_state
language plpgsql
volatile
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
  v_id  bigint;
begin
  perform queue._ensure_migrated();
  if (url ~ '^https?://[^\s/?#]+([/?#]\S*)?$' and length(url) <= 2048) is not true then
    perform queue._raise('OX004', format('invalid url "%s"', coalesce(left(queue._masked_url(url), 100), 'null')), null,
      'Use the url of a function, such as https://example.org/api/oxbow, of at most 2048 characters.');
  end if;
  perform queue._check_count(concurrency, 'concurrency', 1000, 'A server pushes between 1 and 1000 runs to an endpoint at a time.');

  insert into queue.endpoint as e (created_at, check_at, concurrency, url)
  values (v_now, v_now, endpoint_add.concurrency, endpoint_add.url)
  on conflict on constraint endpoint_url do update
  set created_at = excluded.created_at,
    check_at = excluded.check_at,
    concurrency = excluded.concurrency,
    paused_at = null
  returning e.endpoint_id into v_id;
  perform queue._record_action('endpoint.add', 'endpoint', array[v_id::text],
    jsonb_build_object('url', queue._masked_url(url), 'concurrency', concurrency));
  return queue.endpoint_get(v_id);
end
$function$;

comment on function queue.endpoint_add(text, integer) is
$comment$Adds an endpoint: the url of a function to which servers push runs, once a server has asked it which versions of which workflows it serves. Each version goes to the newest endpoint that serves it. Adding a known url again sets its concurrency, resumes it if it is paused, makes it the newest, and has it checked.
url: http or https, at most 2048 characters.
concurrency: how many runs one server pushes to it at a time, 1 to 1000.
Returns its row of endpoints().
Errors: OX004 invalid argument.
Touches: queue.endpoint; queue.audit.$comment$;
