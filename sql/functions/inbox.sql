-- Whether a person may answer in the conversations of a chatbot.
create or replace function may_answer(of_person uuid, of_chatbot uuid) returns boolean
  language sql stable set search_path = public, pg_temp
  as $$
  select exists (
    select from people p join person_roles r on r.person_id = p.id and r.organization_id = p.organization_id
    where p.id = of_person and p.state = 'active' and r.role in ('owner', 'admin', 'agent')
      and (r.chatbot_id is null or r.chatbot_id = of_chatbot)
  )
$$;

-- Who gets a conversation next, where its chatbot assigns in turn: of the people who may answer in it and were seen a
-- moment ago, the one with the fewest open conversations.
create or replace function person_in_turn(of_organization uuid, of_session uuid) returns uuid
  language sql stable set search_path = public, pg_temp
  as $$
  select p.id
  from sessions s
  join chatbots c on c.id = s.chatbot_id and c.settings->'handover'->>'assign' = 'in_turn'
  join people p on p.organization_id = s.organization_id and p.state = 'active'
    and p.last_seen_at > clock_timestamp() - interval '2 minutes'
  where s.id = of_session and s.organization_id = of_organization and may_answer(p.id, s.chatbot_id)
  order by (
    select count(*) from sessions o
    where o.organization_id = of_organization and o.assignee = p.id and o.owner = 'people' and o.state = 'open'
  ), p.last_seen_at desc, p.id
  limit 1
$$;

-- A person as events of conversations name them; null for nobody.
create or replace function person_named(of_person uuid) returns jsonb
  language sql stable set search_path = public, pg_temp
  as $$ select jsonb_build_object('id', id, 'name', name) from people where id = of_person $$;

-- Hands a conversation over to people, if the bot has it, and returns whether it did. `of_person` is who does it, with
-- the name, or null; unless they take it for themselves, the visitor waits. What causes it calls it in its own
-- statement or transaction.
create or replace function hand_over(
  of_organization uuid, of_session uuid, reason text, of_person uuid, of_person_name text, of_assignee uuid
) returns boolean
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  chosen uuid := coalesce(of_assignee, case when of_person is null then person_in_turn(of_organization, of_session) end);
  chatbot uuid;
begin
  update sessions set owner = 'people', owner_since = clock_timestamp(), state = 'open', assignee = chosen,
    waiting_since = case when of_person is null or chosen is distinct from of_person then clock_timestamp() end,
    updated_at = clock_timestamp()
  where id = of_session and organization_id = of_organization and owner = 'bot'
  returning chatbot_id into chatbot;
  if not found then return false; end if;
  insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
  values (gen_random_uuid(), of_organization, of_session, 'handover', of_person, of_person_name,
    jsonb_build_object('reason', reason, 'assignee', person_named(chosen)));
  perform announce_event(of_organization, chatbot, 'conversation.handover', of_session, of_session,
    jsonb_build_object('reason', reason, 'person', of_person, 'assignee', chosen));
  if chosen is not null then
    perform announce_event(of_organization, chatbot, 'conversation.assigned', of_session, of_session,
      jsonb_build_object('person', of_person, 'assignee', chosen));
  end if;
  return true;
end
$$;

-- Hands a conversation back to the bot, if people have it, and returns whether it did. A visitor who has written
-- meanwhile goes on waiting, until the bot or a person has answered.
create or replace function hand_back(
  of_organization uuid, of_session uuid, reason text, of_person uuid, of_person_name text
) returns boolean
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  chatbot uuid;
begin
  update sessions set owner = 'bot', owner_since = clock_timestamp(), assignee = null, updated_at = clock_timestamp(),
    waiting_since = case when reason <> 'closed' then waiting_since end
  where id = of_session and organization_id = of_organization and owner = 'people'
  returning chatbot_id into chatbot;
  if not found then return false; end if;
  insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
  values (gen_random_uuid(), of_organization, of_session, case reason when 'closed' then 'closed' else 'returned' end,
    of_person, of_person_name, jsonb_build_object('reason', reason));
  perform announce_event(of_organization, chatbot, 'conversation.returned', of_session, of_session,
    jsonb_build_object('reason', reason, 'person', of_person));
  return true;
end
$$;

-- Assigns a conversation of people to one of them, or to nobody, and returns whether people have it.
create or replace function assign_conversation(
  of_organization uuid, of_session uuid, of_assignee uuid, of_person uuid, of_person_name text
) returns boolean
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  chatbot uuid; before uuid;
begin
  select chatbot_id, assignee into chatbot, before from sessions
  where id = of_session and organization_id = of_organization and owner = 'people' for update;
  if not found then return false; end if;
  if before is not distinct from of_assignee then return true; end if;
  update sessions set assignee = of_assignee, updated_at = clock_timestamp()
  where id = of_session and organization_id = of_organization;
  insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
  values (gen_random_uuid(), of_organization, of_session, 'assigned', of_person, of_person_name,
    jsonb_build_object('assignee', person_named(of_assignee)));
  perform announce_event(of_organization, chatbot, 'conversation.assigned', of_session, of_session,
    jsonb_build_object('person', of_person, 'assignee', of_assignee));
  return true;
end
$$;
