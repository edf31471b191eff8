-- usable from: 0026
-- Where runs by themselves are turned off, a change of the chatbot leaves the planned run where it is.
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

-- Runs that were lost so.
select queue_planned_tests(p.chatbot_id)
from test_plans p
where p.plan->>'schedule' in ('daily', 'weekly') and not exists (select from test_queue q where q.chatbot_id = p.chatbot_id);
