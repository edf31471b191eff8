-- Queues serve organizations in turn. A job's turn is one after its organization's last that waits, or the turn that is
-- being served; so who brings one job is next, however many another has waiting. Finding a turn and finding whose turn it
-- is are one descent of an index each. The argument names the queue's clock, which is at the turn that is being served;
-- with its owner's rights, since the clock belongs to no organization, and tells nothing but a number.
create or replace function take_turn() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  execute format(
    'select greatest(
      (select last_value from %I),
      1 + (select turn from %I where organization_id = $1 order by turn desc limit 1)
    )', tg_argv[0], tg_table_name
  ) into new.turn using new.organization_id;
  return new;
end
$$;

create or replace trigger take_turn before insert on ingestions
  for each row execute function take_turn('ingestion_clock');
create or replace trigger take_turn before insert on source_queue
  for each row execute function take_turn('source_clock');
create or replace trigger take_turn before insert on test_queue
  for each row execute function take_turn('test_clock');
create or replace trigger take_turn before insert on mail_queue
  for each row execute function take_turn('mail_clock');
