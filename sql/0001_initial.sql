-- Conventions: ids are UUID v7 made by the program; every row of a tenant carries `organization_id`, and a row-level
-- security policy compares it with the setting `parley.organization_id` of the session, which runs as `parley_tenant`,
-- a role that owns nothing. Queries filter by organization as well: either alone keeps tenants apart.

create function current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('parley.organization_id', true), '')::uuid;

create table organizations (
  id uuid primary key,
  name text not null,
  -- The first organization belongs to whoever runs the server: only its admin keys see other organizations.
  is_operator boolean not null default false,
  created_at timestamptz not null default now()
);

create unique index organizations_one_operator on organizations (is_operator) where is_operator;

create table chatbots (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  description text not null,
  slug text not null,
  active boolean not null default true,
  is_public boolean not null,
  personality_config jsonb not null,
  settings jsonb not null,
  chat_widget_config jsonb not null,
  voice_widget_config jsonb,
  avatar_blob text,
  -- Moves with every change of the chatbot: the ETag.
  version bigint not null default 1,
  -- Moves with every change of what a search can find: in-process indexes check it.
  knowledge_version bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create unique index chatbots_slug on chatbots (organization_id, slug);
-- What belongs to a chatbot refers to it together with its organization, so it cannot belong to another one.
create unique index chatbots_organization on chatbots (organization_id, id);

create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- A bound key serves this chatbot only.
  chatbot_id uuid,
  name text not null,
  hash bytea not null,
  prefix text not null,
  last_four text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index api_keys_hash on api_keys (hash);
create index api_keys_organization on api_keys (organization_id, id);
create index api_keys_chatbot on api_keys (chatbot_id);

create table documents (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  chatbot_id uuid not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  blob_key text not null,
  status text not null check (status in ('queued', 'extracting', 'embedding', 'ready', 'failed')),
  progress real not null default 0,
  chunk_count integer not null default 0,
  error jsonb,
  -- The revision whose chunks answer searches; 0 before the first is ready.
  revision integer not null default 0,
  -- Every attempt to ingest makes a revision of its own, so that one that was given up cannot mix with its successor.
  last_revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index documents_content on documents (chatbot_id, sha256);
create index documents_chatbot on documents (chatbot_id, id);
create unique index documents_organization on documents (organization_id, id);

-- One row per document that waits for, or is in, ingestion: the durable queue. It holds what the next revision is made
-- from, so that a document keeps its old content and name until that is ready.
create table ingestions (
  document_id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  chatbot_id uuid not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  blob_key text not null,
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  -- Names the attempt: what works on it must show this to write anything.
  lease_id uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index ingestions_run_at on ingestions (run_at);
create index ingestions_organization on ingestions (organization_id);
create index ingestions_chatbot on ingestions (chatbot_id);

-- Blobs to delete once `due_at` has passed. A key stands here from before its blob is written until the row that owns
-- it commits, and again from the commit that drops its owner: a crash at any moment leaves no blob behind for ever.
create table blob_garbage (
  key text primary key,
  due_at timestamptz not null
);

create index blob_garbage_due on blob_garbage (due_at);

create table sessions (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  chatbot_id uuid not null,
  -- Chosen by the client; null when the server opened the session.
  session_token text,
  platform text not null,
  state text not null default 'open' check (state in ('open', 'closed')),
  user_info jsonb not null default '{}',
  message_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index sessions_token on sessions (chatbot_id, session_token);
create index sessions_activity on sessions (chatbot_id, updated_at, id);
create unique index sessions_organization on sessions (organization_id, id);

create table messages (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  session_id uuid not null,
  sender_type text not null check (sender_type in ('user', 'bot')),
  content text not null,
  attachments jsonb,
  metadata jsonb not null default '{}',
  model text,
  provider text,
  tokens_used integer not null default 0,
  usage jsonb,
  finish_reason text,
  tool_calls jsonb,
  tool_results jsonb,
  created_at timestamptz not null default clock_timestamp(),
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index messages_session on messages (session_id, created_at, id);
create index messages_organization on messages (organization_id);

grant usage on schema public to parley_tenant;
grant select on organizations to parley_tenant;
grant select, insert, update, delete on
  chatbots, api_keys, documents, ingestions, sessions, messages to parley_tenant;
grant select, insert, update, delete on blob_garbage to parley_tenant;

alter table organizations enable row level security;
alter table chatbots enable row level security;
alter table api_keys enable row level security;
alter table documents enable row level security;
alter table ingestions enable row level security;
alter table sessions enable row level security;
alter table messages enable row level security;

-- `(select …)` makes it one evaluation for a query instead of one for a row.
create policy tenant on organizations to parley_tenant using (id = (select current_organization()));
create policy tenant on chatbots to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on api_keys to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on documents to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on ingestions to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on sessions to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on messages to parley_tenant using (organization_id = (select current_organization()));
