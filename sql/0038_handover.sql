-- usable from: 0026
-- People in conversations: handing over and back, what they write, what they send, and who is there.

alter table sessions
  -- Who answers. It changes in the statement that stores what changes it, by `hand_over` and `hand_back`.
  add column owner text not null default 'bot' check (owner in ('bot', 'people')),
  -- When the owner last changed; null in a conversation that was never handed over.
  add column owner_since timestamptz,
  -- The person who looks after it, among `people`.
  add column assignee uuid,
  -- Since when the visitor has waited for an answer of people; null where nobody waits.
  add column waiting_since timestamptz,
  add column tags text[] not null default '{}',
  -- Up to when the visitor, and any person, has read.
  add column visitor_read_at timestamptz,
  add column people_read_at timestamptz,
  -- When people were last told by e-mail that the visitor waits, and the visitor that a person has answered.
  add column people_mailed_at timestamptz,
  add column visitor_mailed_at timestamptz;

-- Conversations of people are few beside all others.
create index sessions_of_people on sessions (organization_id, updated_at, id) where owner = 'people';
create index sessions_waiting on sessions (organization_id, updated_at, id) where waiting_since is not null;
create index sessions_assigned on sessions (organization_id, assignee, updated_at, id) where assignee is not null;
create index sessions_tagged on sessions using gin (tags) where tags <> '{}';

alter table messages drop constraint messages_sender_type_check;
alter table messages add constraint messages_sender_type_check check (sender_type in ('user', 'bot', 'agent'));
alter table messages
  -- The person who wrote it, and their name at that time; of a message of a person alone.
  add column person_id uuid,
  add column person_name text;

-- Messages of people are few beside all others.
create index messages_of_people on messages (created_at) where sender_type = 'agent';

-- What happened in a conversation beside its messages, and notes that visitors never see.
create table conversation_events (
  id uuid primary key,
  organization_id uuid not null,
  session_id uuid not null,
  type text not null check (type in ('handover', 'assigned', 'returned', 'closed', 'note')),
  -- Who did it, with the name at that time; null for the visitor, the bot and the server.
  person_id uuid,
  person_name text,
  -- See `ConversationEvent` in domain/inbox/Handover.ts.
  detail jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index conversation_events_session on conversation_events (session_id, created_at, id);
create index conversation_events_organization on conversation_events (organization_id);

-- Who is looking at a conversation or writing in it. Lost with a crash of the database, and nobody misses it.
create unlogged table conversation_presence (
  session_id uuid not null,
  organization_id uuid not null,
  -- `visitor`, or the id of a person.
  who text not null,
  state text not null check (state in ('reading', 'writing')),
  until timestamptz not null,
  primary key (session_id, who)
);

create index conversation_presence_organization on conversation_presence (organization_id);

-- Files that people and visitors send in conversations.
create table attachments (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  -- Null until it is sent with a message.
  session_id uuid,
  message_id uuid,
  -- The visitor who uploaded it; null for a person or an API key.
  visitor text,
  name text not null,
  media_type text not null,
  size bigint not null,
  blob_key text not null,
  -- The unguessable part of its address, and the whole address as messages name it.
  secret text not null,
  url text not null,
  created_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index attachments_chatbot on attachments (organization_id, chatbot_id);
create index attachments_session on attachments (session_id) where session_id is not null;
create index attachments_unsent on attachments (created_at) where message_id is null;
create index attachments_blob on attachments (blob_key);

create trigger own_blob after insert on attachments for each row execute function own_blob();
create trigger disown_blobs after delete on attachments
  referencing old table as dropped for each statement execute function disown_blobs();

create function count_attachments() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, bytes)
  select organization_id, case tg_op when 'INSERT' then sum(size) else -sum(size) end
  from changed group by organization_id;
  return null;
end
$$;

create trigger count_attachments after insert on attachments
  referencing new table as changed for each statement execute function count_attachments();
create trigger uncount_attachments after delete on attachments
  referencing old table as changed for each statement execute function count_attachments();

-- Sends attachments with a message, and returns them as the message names them; null for none. `of_visitor` is who
-- uploaded them, null for a person or an API key. Whatever stores the message calls it in its own statement. One that is
-- another's, or was sent with another message, is a violation of the constraint `attachments_sendable`.
create function send_attachments(
  of_organization uuid, of_chatbot uuid, of_session uuid, of_message uuid, of_visitor text, ids uuid[]
) returns jsonb
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  sent jsonb;
begin
  if coalesce(cardinality(ids), 0) = 0 then return null; end if;
  with mine as (
    update attachments set session_id = of_session, message_id = of_message
    where id = any(ids) and organization_id = of_organization and chatbot_id = of_chatbot
      and visitor is not distinct from of_visitor and (message_id is null or message_id = of_message)
    returning id, name, url
  )
  select jsonb_agg(jsonb_build_object('name', name, 'url', url) order by array_position(ids, id)) into sent from mine;
  if coalesce(jsonb_array_length(sent), 0) <> cardinality(ids) then
    raise exception using errcode = 'check_violation', constraint = 'attachments_sendable',
      message = 'an attachment cannot be sent with this message';
  end if;
  return sent;
end
$$;

-- Texts that people send often in the conversations of a chatbot.
create table canned_answers (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  shortcut text not null,
  content text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index canned_answers_shortcut on canned_answers (organization_id, chatbot_id, shortcut);

grant select, insert, update, delete on conversation_events, conversation_presence, attachments, canned_answers to parley_tenant;

alter table conversation_events enable row level security;
alter table conversation_presence enable row level security;
alter table attachments enable row level security;
alter table canned_answers enable row level security;
create policy tenant on conversation_events to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on conversation_presence to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on attachments to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on canned_answers to parley_tenant using (organization_id = (select current_organization()));

-- Whether a person may answer in the conversations of a chatbot.
create function may_answer(of_person uuid, of_chatbot uuid) returns boolean
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
create function person_in_turn(of_organization uuid, of_session uuid) returns uuid
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
create function person_named(of_person uuid) returns jsonb
  language sql stable set search_path = public, pg_temp
  as $$ select jsonb_build_object('id', id, 'name', name) from people where id = of_person $$;

-- Hands a conversation over to people, if the bot has it, and returns whether it did. `of_person` is who does it, with
-- the name, or null; unless they take it for themselves, the visitor waits. Whatever causes it calls it in its own
-- statement or transaction.
create function hand_over(
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
create function hand_back(
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
create function assign_conversation(
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

revoke all on function may_answer, person_in_turn, person_named, hand_over, hand_back, assign_conversation from public;
grant execute on function may_answer, person_in_turn, person_named, hand_over, hand_back, assign_conversation
  to parley_tenant;
revoke all on function send_attachments, count_attachments from public;
grant execute on function send_attachments to parley_tenant;
