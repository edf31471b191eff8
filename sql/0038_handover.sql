-- usable from: 0026
-- People in conversations: handing over and back, what they write, what they send, and who is there.

alter table sessions
  -- Who answers. It changes in the statement that stores what changes it, by `hand_over` and `hand_back`.
  add column owner text not null default 'bot' check (owner in ('bot', 'people')),
  -- When the owner last changed; null in a conversation that was never handed over.
  add column owner_since timestamptz,
  -- The person who looks after it, among `people`.
  add column assignee uuid,
  -- Since when the visitor has waited for a person; null where a person has written last, or the bot answers.
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
  -- The unguessable part of its address.
  secret text not null,
  created_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index attachments_chatbot on attachments (organization_id, chatbot_id);
create index attachments_session on attachments (session_id) where session_id is not null;
create index attachments_unsent on attachments (created_at) where message_id is null;

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

-- Hands a conversation over to people, if the bot has it, and returns whether it did. `of_person` is who takes it, with
-- the name, or null; then the visitor waits. Whatever causes it calls it in its own statement or transaction.
create function hand_over(
  of_organization uuid, of_session uuid, event_id uuid, reason text, of_person uuid, of_person_name text
) returns boolean
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  update sessions set owner = 'people', owner_since = clock_timestamp(), state = 'open', assignee = of_person,
    waiting_since = case when of_person is null then clock_timestamp() end, updated_at = clock_timestamp()
  where id = of_session and organization_id = of_organization and owner = 'bot';
  if not found then return false; end if;
  insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
  values (event_id, of_organization, of_session, 'handover', of_person, of_person_name, jsonb_build_object('reason', reason));
  return true;
end
$$;

-- Hands a conversation back to the bot, if people have it, and returns whether it did.
create function hand_back(
  of_organization uuid, of_session uuid, event_id uuid, reason text, of_person uuid, of_person_name text
) returns boolean
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  update sessions set owner = 'bot', owner_since = clock_timestamp(), assignee = null, waiting_since = null
  where id = of_session and organization_id = of_organization and owner = 'people';
  if not found then return false; end if;
  insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
  values (event_id, of_organization, of_session, 'returned', of_person, of_person_name, jsonb_build_object('reason', reason));
  return true;
end
$$;

revoke all on function hand_over, hand_back from public;
grant execute on function hand_over, hand_back to parley_tenant;
