do $roles$
begin
  perform queue.create_roles();
end
$roles$;
