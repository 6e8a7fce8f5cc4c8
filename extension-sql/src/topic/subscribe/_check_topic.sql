create or replace function queue._check_topic(topic text, is_pattern boolean)
returns void
language plpgsql
stable
parallel safe
as $function$
declare
  v_what constant text := case when is_pattern then 'pattern' else 'topic' end;
  v_word constant text := case when is_pattern then '([^\s.*#[:cntrl:]]+|[*]|#)' else '[^\s.*#[:cntrl:]]+' end;
begin
  if (octet_length(topic) <= 255 and cardinality(string_to_array(topic, '.')) <= 32) is not true then
    perform queue._raise('OX004', format('invalid %s "%s"', v_what, coalesce(left(topic, 100), 'null')), null,
      format('A %s has 1 to 32 words, separated by ".", and at most 255 bytes.', v_what));
  elsif (topic ~ format('^%1$s([.]%1$s)*$', v_word)) is not true then
    perform queue._raise('OX004', format('invalid %s "%s"', v_what, topic), null, case
      when is_pattern then
        'A pattern is non-empty words separated by "."; a whole word may be "*" (one word) or "#" (any number of words).'
      else 'A topic is non-empty words separated by ".", without white space, "*" and "#".'
    end);
  end if;
end
$function$;

comment on function queue._check_topic(text, boolean) is
$comment$Checks a topic or a pattern of topics.
Errors: OX004 invalid argument.$comment$;
