-- Queues a run because something has changed: half a minute after the last change, and five minutes after the first at the
-- latest. A run that has begun, or waits by hand, is followed by another. Where runs after changes are turned off, the
-- planned run stays where it is.
create or replace function queue_tests(of_chatbot uuid) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if not exists (
    select from chatbots c join tests t on t.organization_id = c.organization_id and t.chatbot_id = c.id
      left join test_plans p on p.chatbot_id = c.id
    where c.id = of_chatbot and coalesce((p.plan->>'on_change')::boolean, true)
  ) then return; end if;
  delete from test_queue
  where chatbot_id = of_chatbot and trigger = 'schedule' and run_id is null and lease_id is null;
  insert into test_queue as q (chatbot_id, organization_id, trigger, run_at)
  select c.id, c.organization_id, 'change', now() + interval '30 seconds'
  from chatbots c join organizations o on o.id = c.organization_id
  where c.id = of_chatbot and o.deleted_at is null
  on conflict (chatbot_id) do update set
    is_again = q.is_again or q.run_id is not null or q.lease_id is not null,
    run_at = case when q.trigger = 'change' and q.run_id is null and q.lease_id is null
      then greatest(q.run_at, least(excluded.run_at, q.created_at + interval '5 minutes')) else q.run_at end;
end
$$;

-- A change of the chatbot.
create or replace function queue_tests_of_chatbot() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_tests(new.id);
  return null;
end
$$;

-- What a search, or the answer of the model that costs nothing, depends on.
create or replace trigger queue_tests after update on chatbots
  for each row when (
    old.knowledge_version <> new.knowledge_version or old.name <> new.name
    or (old.settings->>'model' = 'local/extractive') is distinct from (new.settings->>'model' = 'local/extractive')
    or old.settings->'isToolEnabled' is distinct from new.settings->'isToolEnabled'
  )
  execute function queue_tests_of_chatbot();

-- New tests, and changes of tests.
create or replace function queue_changed_tests() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_tests(chatbot_id) from (select distinct chatbot_id from changed order by chatbot_id) of_chatbots;
  return null;
end
$$;

create or replace trigger queue_new_tests after insert on tests
  referencing new table as changed for each statement execute function queue_changed_tests();

create or replace trigger queue_changed_tests after update on tests
  referencing new table as changed for each statement execute function queue_changed_tests();

-- Queues the next run of a chatbot's plan, where no other run waits.
create or replace function queue_planned_tests(of_chatbot uuid) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from test_queue
  where chatbot_id = of_chatbot and trigger = 'schedule' and run_id is null and lease_id is null;
  insert into test_queue (chatbot_id, organization_id, trigger, run_at)
  select chatbot_id, organization_id, 'schedule', greatest(now(),
    coalesce((
      select max(created_at) from test_runs r where r.chatbot_id = of_chatbot and r.organization_id = p.organization_id
        and trigger = 'schedule'
    ), now()) + case plan->>'schedule' when 'daily' then interval '1 day' else interval '7 days' end)
  from test_plans p where chatbot_id = of_chatbot and plan->>'schedule' in ('daily', 'weekly')
  on conflict (chatbot_id) do nothing;
end
$$;

-- A change of the plan.
create or replace function queue_tests_of_plan() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_planned_tests(new.chatbot_id);
  return null;
end
$$;

create or replace trigger queue_planned_tests after insert or update of plan on test_plans
  for each row execute function queue_tests_of_plan();
