-- folds: 0046_rate_limits e070e3fe80f72fdc997245ee6f9a21cf98b2c16c734c383bae980fca924be1b5
-- Every table. Ids are UUID v7 that the program makes. Each row of a tenant carries `organization_id`, and a row-level
-- security policy compares it with the setting `parley.organization_id` of the session, which runs as `parley_tenant`, a
-- role that owns nothing. Queries filter by organization as well: either alone keeps tenants apart. What a function or a
-- trigger does stands in `functions/`.
--
-- A row of a chatbot, a document or a conversation refers to that together with the organization, so that it cannot
-- belong to another one's, and goes with it. A reference of its own to the organization would add nothing but a lock on
-- that one row, for which all writers queue, and an index that nobody reads.

-- Here, because policies need it.
create function current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('parley.organization_id', true), '')::uuid;

-- Organizations and keys

create table organizations (
  id uuid primary key,
  name text not null,
  -- The first organization belongs to whoever runs the server: only its admin keys see other organizations.
  is_operator boolean not null default false,
  created_at timestamptz not null default now(),
  -- What an operator has set, each a number or "unlimited"; where it is null, the server's settings decide.
  budget jsonb not null default '{"tokens_per_day": null, "concurrent_chats": null}',
  -- A deleted organization is gone for everybody at once; what it owned is deleted little by little afterwards, however
  -- much that is, and the server that starts next goes on with what a crash left.
  deleted_at timestamptz,
  -- As `budget`.
  quota jsonb not null default
    '{"chatbots": null, "tools": null, "documents": null, "bytes": null, "chunks": null, "conversations": null}',
  -- For how many days after their last activity conversations are kept; null leaves that to the server.
  retention_days integer check (retention_days > 0)
);

create unique index organizations_one_operator on organizations (is_operator) where is_operator;
-- Lists are read in the order in which the database made their rows, and only as far as they are shown: ids are made by
-- servers whose clocks differ. So in every index of `created_at` and `id`.
create index organizations_created on organizations (created_at, id);

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
  updated_at timestamptz not null default now(),
  -- How many rows it has in `chatbot_tools`, so that a chat without tools need not ask.
  tool_count integer not null default 0
);

create unique index chatbots_slug on chatbots (organization_id, slug);
create unique index chatbots_organization on chatbots (organization_id, id);
create index chatbots_created on chatbots (organization_id, created_at, id);
create index chatbots_avatar on chatbots (avatar_blob) where avatar_blob is not null;
-- The page of a public chatbot names it by its slug alone.
create index chatbots_public on chatbots (slug) where is_public;

-- Keys of three kinds share what keys have: budgets, expiry, revocation, usage. Publishable ones stand in the pages of
-- websites, are good for the chat widget of one chatbot only, may be read again, and have no scopes. A person acts by a
-- key whose id is the person's, so that budgets, rates, usage and the audit log count people as they count keys; it has no
-- secret that anybody knows: a session of the person stands for it.
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
  -- As that of organizations.
  budget jsonb not null default '{"tokens_per_day": null, "concurrent_chats": null}',
  -- The id of the key that made it, or `command line` or `bootstrap`; null for keys from before this was kept.
  created_by text,
  kind text not null default 'secret',
  -- A publishable key itself; of a secret one, only the hash is stored.
  public_key text,
  -- Origins such as `https://example.com` and `https://*.example.com`, or `*`.
  allowed_origins text[],
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  constraint api_keys_kind check (
    case kind
      when 'secret' then public_key is null and allowed_origins is null
      when 'publishable' then public_key is not null and allowed_origins is not null and chatbot_id is not null
        and scopes = '{}'
      when 'person' then public_key is null and allowed_origins is null and chatbot_id is null
      else false
    end
  )
);

create unique index api_keys_hash on api_keys (hash);
create index api_keys_chatbot on api_keys (chatbot_id);
create index api_keys_created on api_keys (organization_id, created_at, id);

-- Who did what to what, from where and when: keys, organizations, budgets, tools, deletions, exports. An entry is made by
-- the transaction that makes the change. Tenants may add and read entries, and neither change nor delete any: only the
-- owner of the tables deletes them, once their time is over. Without a reference to the organization, so that the operator
-- can still read what became of one that is deleted; what concerns people is blanked out then.
create table audit_log (
  id uuid primary key,
  created_at timestamptz not null default clock_timestamp(),
  organization_id uuid not null,
  action text not null,
  -- `api_key`, `operator`, `command_line` or `server`.
  actor text not null,
  api_key_id uuid,
  -- As they were at that time.
  api_key_name text,
  api_key_hint text,
  address text,
  request_id text,
  target_id uuid,
  chatbot_id uuid,
  before jsonb,
  after jsonb
);

create index audit_log_created on audit_log (created_at, id);
create index audit_log_organization on audit_log (organization_id, created_at, id);
create index audit_log_target on audit_log (target_id, created_at) where target_id is not null;
-- Rare actions, and what one key did, among many entries; of one organization, or of all for the operator.
create index audit_log_action on audit_log (organization_id, action, created_at, id);
create index audit_log_all_action on audit_log (action, created_at, id);
create index audit_log_api_key on audit_log (api_key_id, created_at, id) where api_key_id is not null;

-- Requests that were sent with an `Idempotency-Key`: which of them are running, and how the others were answered. Neither
-- the key of the API nor the `Idempotency-Key` stands here, and nothing in a row can be read or guessed without both.
create table idempotency_keys (
  organization_id uuid not null,
  api_key_id uuid not null,
  -- Derived from the API key and the `Idempotency-Key`.
  name bytea not null,
  -- A keyed digest of the request.
  fingerprint bytea not null,
  -- The same for every attempt. A chat makes the ids of its conversation and of its messages from it.
  operation_id uuid not null,
  -- The attempt that is running, while its server renews the lease.
  lease_id uuid not null,
  lease_until timestamptz not null,
  -- The status of the response; null until there is one that is kept.
  status smallint,
  -- Headers and body of the response, encrypted; null as well where they are kept no longer.
  answer bytea,
  -- The conversation that the answer is from.
  session_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, api_key_id, name)
);

create index idempotency_keys_expiry on idempotency_keys (expires_at);
create index idempotency_keys_session on idempotency_keys (session_id) where session_id is not null;

-- What an operator lets a chatbot's model call: an HTTP endpoint, and how its input becomes a request.
create table chatbot_tools (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  name text not null,
  description text not null,
  -- Not jsonb, which would not keep the order of properties; a model reads them in it.
  input_schema json not null,
  method text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  url text not null,
  -- Name → value. They are secrets: the program writes them, sends them to the endpoint, and never shows them. Where they
  -- are encrypted, each value is null here.
  headers jsonb not null,
  timeout_ms integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A nonce, and what AES-256-GCM makes of `headers` for this tool of this organization, and the server that it calls.
  sealed_headers bytea,
  -- Id of the key, which is among the server's settings.
  sealed_by text,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  check ((sealed_headers is null) = (sealed_by is null))
);

create unique index chatbot_tools_name on chatbot_tools (chatbot_id, name);

-- Servers of language models that organizations have connected.
create table model_connections (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- The first part of the names of its models, such as `ollama` in `ollama/llama3.2:3b`.
  name text not null,
  api text not null check (api in ('openai', 'anthropic')),
  base_url text not null,
  -- Whether the server's operator has made it, so that it may be in a private network.
  is_trusted boolean not null,
  -- What is shown of the key; null where the server needs none.
  key_hint text,
  -- The key, null where it is encrypted; empty where the server needs none.
  secret text,
  sealed bytea,
  sealed_by text,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((secret is null) <> (sealed is null) and (sealed is null) = (sealed_by is null))
);

create unique index model_connections_name on model_connections (organization_id, name);

-- What a customer's own server signs with, when it tells who a visitor of a chatbot is. Two are valid while one replaces
-- the other.
create table identity_secrets (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  -- The secret; null where it is encrypted.
  secret text,
  sealed bytea,
  sealed_by text,
  last_four text not null,
  created_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  check ((secret is null) <> (sealed is null) and (sealed is null) = (sealed_by is null))
);

create index identity_secrets_chatbot on identity_secrets (organization_id, chatbot_id, created_at);

-- People: who they are, what they may do, and where they are signed in.

-- A server that signs people in by OpenID Connect.
create table sign_in_providers (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- The secret of the client; null where it is encrypted.
  secret text,
  sealed bytea,
  sealed_by text,
  -- The claim that names groups or roles, such as `groups`.
  roles_claim text not null,
  -- A list of `RoleMapping`, see domain/people/SignInProvider.ts.
  role_mappings jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((secret is null) <> (sealed is null) and (sealed is null) = (sealed_by is null))
);

create unique index sign_in_providers_organization on sign_in_providers (organization_id, id);

create table people (
  id uuid primary key references api_keys on delete cascade,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  email text,
  -- Address of a picture.
  avatar text,
  state text not null default 'invited' check (state in ('invited', 'active', 'removed')),
  -- Who a provider says they are: the issuer and the subject of its tokens. Both null for a person who signs in by a
  -- passkey alone.
  issuer text,
  subject text,
  -- SHA-256 of the open invitation's secret.
  invitation_hash bytea,
  invitation_expires_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz,
  check ((issuer is null) = (subject is null))
);

create unique index people_organization on people (organization_id, id);
create unique index people_subject on people (organization_id, issuer, subject);
create unique index people_invitation on people (invitation_hash);
create index people_avatars on people (organization_id) where avatar is not null;

-- A role of a person in the whole organization, or for one chatbot.
create table person_roles (
  person_id uuid not null,
  organization_id uuid not null,
  chatbot_id uuid,
  role text not null check (role in ('owner', 'admin', 'editor', 'agent', 'viewer')),
  -- Whether a claim of the provider gives the role, which then comes and goes with the claim.
  is_claimed boolean not null default false,
  check (chatbot_id is null or role in ('editor', 'agent', 'viewer')),
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index person_roles_unique on person_roles (person_id, chatbot_id, role, is_claimed) nulls not distinct;
create index person_roles_chatbot on person_roles (chatbot_id) where chatbot_id is not null;
create index person_roles_organization on person_roles (organization_id) where chatbot_id is null;

create table passkeys (
  -- The id of the credential in base64url.
  id text primary key,
  person_id uuid not null,
  organization_id uuid not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade
);

create index passkeys_person on passkeys (organization_id, person_id);

-- A browser in which a person is signed in.
create table person_sessions (
  id uuid primary key,
  person_id uuid not null,
  organization_id uuid not null,
  -- SHA-256 of the secret in the browser's cookie.
  token_hash bytea not null,
  -- The provider that has signed the person in; null for a passkey. Its tokens are encrypted, see `tokens`.
  provider_id uuid,
  -- The refresh token and the id token, encrypted.
  tokens jsonb,
  -- When the provider has last said that the person is one of its own.
  checked_at timestamptz not null default now(),
  -- When a check was last begun that has not succeeded yet.
  tried_at timestamptz,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  address text,
  user_agent text,
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade,
  foreign key (organization_id, provider_id) references sign_in_providers (organization_id, id) on delete cascade
);

create unique index person_sessions_token on person_sessions (token_hash);
create index person_sessions_person on person_sessions (organization_id, person_id);
create index person_sessions_checked on person_sessions (checked_at) where provider_id is not null;
create index person_sessions_expiry on person_sessions (expires_at);

-- Signing in, or accepting an invitation, while it is under way: what is expected of the answer. A row is deleted by the
-- statement that uses it, so that nothing can be used twice. No tenant reads or writes it.
create table sign_in_attempts (
  -- SHA-256 of the secret in the browser's cookie.
  id_hash bytea primary key,
  kind text not null,
  data jsonb not null,
  expires_at timestamptz not null
);

create index sign_in_attempts_expiry on sign_in_attempts (expires_at);

-- Usage, budgets, quotas and rate limits

-- What models took. A reply and its entry are one statement; entries are only ever added on the path of a chat, so that
-- replies of one chatbot do not wait for each other, as they would for a row that all of them count in. `fold_usage` makes
-- rows of a day of them, soon after. Usage outlives the conversations and chatbots that it came from. A reply that one
-- model began and another finished took tokens of both: it has an entry for each of them, and counts as a reply of the
-- last.
create table usage_entries (
  organization_id uuid not null,
  -- The reply's.
  message_id uuid not null,
  api_key_id uuid not null,
  chatbot_id uuid not null,
  model text not null,
  provider text not null,
  day date not null default (now() at time zone 'utc')::date,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  replies smallint not null default 1,
  primary key (organization_id, message_id, model, provider)
);

create table usage_days (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  api_key_id uuid not null,
  chatbot_id uuid not null,
  model text not null,
  provider text not null,
  replies bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  -- By day and chatbot, as usage is mostly asked for.
  primary key (organization_id, day, chatbot_id, api_key_id, model, provider)
);

create index usage_days_day on usage_days (day);

-- Chats under way, of organizations and keys that have a budget. Unlogged: a server that crashed has none under way.
create unlogged table chat_reservations (
  id uuid primary key,
  organization_id uuid not null,
  api_key_id uuid not null,
  tokens bigint not null,
  -- The server that made it is dead by then.
  expires_at timestamptz not null
);

create index chat_reservations_organization on chat_reservations (organization_id);

-- What an organization stores is counted as it is stored, so that a quota is checked without counting rows. Each
-- statement adds an entry with its difference, and no common row is updated, so that the chats of an organization do not
-- wait for each other. `fold_holdings` sums the entries up into one row, alone.
create table holdings (
  organization_id uuid primary key references organizations on delete cascade,
  chatbots bigint not null default 0,
  tools bigint not null default 0,
  documents bigint not null default 0,
  bytes bigint not null default 0,
  chunks bigint not null default 0,
  conversations bigint not null default 0
);

create table holding_entries (
  organization_id uuid not null,
  chatbots bigint not null default 0,
  tools bigint not null default 0,
  documents bigint not null default 0,
  bytes bigint not null default 0,
  chunks bigint not null default 0,
  conversations bigint not null default 0
);

create index holding_entries_organization on holding_entries (organization_id);

-- What was granted to API keys and organizations lately, for servers that share their limits: they only add up what they
-- count, and each decides by the sum. Unlogged: after a crash everybody begins anew. No tenant reads or writes it.
create unlogged table rate_counts (
  -- The owner and the length of its slots, so that a limit of another length counts by itself.
  id text primary key,
  -- The number of the newest slot, by the database's clock.
  slot bigint not null,
  -- The units of each slot, the newest first.
  counts integer[] not null
) with (fillfactor = 50);

-- Knowledge

-- Where knowledge lives beside uploaded files: websites, lists of pages, feeds, texts, and questions with their answers.
create table sources (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  kind text not null check (kind in ('website', 'sitemap', 'llms_txt', 'feed', 'text', 'questions')),
  name text not null,
  -- What the kind needs, see `SourceConfig` in domain/knowledge/Source.ts.
  config jsonb not null,
  schedule text check (schedule in ('hourly', 'daily', 'weekly', 'monthly')),
  -- Hashes of the blocks of text that repeat on the pages of the site; null until enough pages were read.
  repeated jsonb,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index sources_organization on sources (organization_id, id);
create index sources_chatbot on sources (organization_id, chatbot_id, created_at, id);

create table documents (
  id uuid primary key,
  organization_id uuid not null,
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
  -- What made the embeddings of the chunks that serve, of all of them; after a change of the setting, until they have been
  -- made again, the one before.
  embedding_model text,
  -- A document that a source has made has its address, and is deleted with the source.
  url text,
  source_id uuid,
  -- Whether people have written it as the answer to its question.
  is_approved boolean not null default false,
  -- What the document has that its text has not: kinds, how many of each, and where the first are.
  omissions jsonb not null default '[]',
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index documents_content on documents (chatbot_id, sha256);
create unique index documents_organization on documents (organization_id, id);
create index documents_embedding_model on documents (embedding_model);
-- Counted, and turned over to a later page, without reading the rows: policies ask for the organization.
create index documents_created on documents (organization_id, chatbot_id, created_at, id) include (status);
-- Those that fail, or are under way, are few.
create index documents_unready on documents (organization_id, chatbot_id, status, created_at, id) where status <> 'ready';
-- Whose the files are that the store lists.
create index documents_blob on documents (blob_key);
create index documents_source on documents (source_id) where source_id is not null;

-- The clock of a queue that serves organizations in turn, see `take_turn`.
create sequence ingestion_clock;

-- One row per document that waits for, or is in, ingestion: the durable queue. It holds what the next revision is made
-- from, so that a document keeps its old content and name until that is ready. Every queue of jobs has the same columns
-- and the same order, so that one program works them all, see storage/sql/LeaseQueue.ts.
create table ingestions (
  document_id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  blob_key text not null,
  -- How often the document itself has failed.
  attempts integer not null default 0,
  -- Nobody may have it before. While it is leased, the end of the lease.
  run_at timestamptz not null default now(),
  -- Names the attempt: what works on it must show this to write anything.
  lease_id uuid,
  created_at timestamptz not null default now(),
  turn bigint not null default 1,
  -- How often a lease ended without a word, which says little of the document.
  lapses integer not null default 0,
  -- How often it was given up, to be tried again much later.
  given_up integer not null default 0,
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index ingestions_turn on ingestions (turn, created_at);
create index ingestions_organization on ingestions (organization_id, turn);
create index ingestions_chatbot on ingestions (chatbot_id);
create index ingestions_blob on ingestions (blob_key);

-- What the server that was started last makes embeddings with. Others make none anew, or two servers with different
-- settings would undo each other's work for ever.
create table embedding_setting (
  is_only boolean primary key default true check (is_only),
  model text not null,
  changed_at timestamptz not null default now()
);

-- A queue like `ingestions`, of documents whose chunks are to be embedded again.
create table reembeddings (
  document_id uuid primary key,
  organization_id uuid not null,
  turn bigint not null,
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  created_at timestamptz not null default now(),
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);

create index reembeddings_turn on reembeddings (turn, created_at);

-- The passages that searches find. A chunk answers searches only while its document is at its revision, so that moving
-- `documents.revision` replaces all of a document's chunks at once; what moves it, or deletes a serving document, moves
-- `chatbots.knowledge_version` in the same transaction.
create table chunks (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  -- From 1, in reading order.
  ordinal integer not null,
  title text not null,
  headings text[] not null,
  content text not null,
  page integer,
  -- A text search configuration: how its words are stemmed. Not of type regconfig, which pg_upgrade refuses.
  language text not null,
  -- Of the words that the program found: the title's weighted A, the headings' B.
  lexemes tsvector not null,
  -- Vectors are read by the thousand, lexemes and content by the dozen: the vector stays in the row as long as it fits
  -- (fetching it from elsewhere is ten times slower), and so does the rest of a row that fills one page at the most.
  embedding vector storage main not null,
  embedding_model text not null,
  -- Two vectors are compared only when their models and these are equal.
  embedding_dimensions integer not null generated always as (vector_dims(embedding)) stored,
  -- Of an embedding that tells spelling only, four bits for each number: what an index in memory compares. Null where the
  -- embedding tells meaning.
  sketch bytea storage main,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
) with (toast_tuple_target = 8160);

create unique index chunks_ordinal on chunks (document_id, revision, ordinal);
create index chunks_chatbot on chunks (chatbot_id);
-- The language of each document, which is that of its first chunk, without reading chunks.
create index chunks_first on chunks (organization_id, chatbot_id, document_id, revision) include (language)
  where ordinal = 1;

create table source_runs (
  id uuid primary key,
  organization_id uuid not null,
  source_id uuid not null,
  trigger text not null check (trigger in ('manual', 'schedule')),
  status text not null check (status in ('queued', 'running', 'finished', 'stopped', 'failed', 'held')),
  -- The outcome whose pages the run fetches again; null for all pages.
  only_outcome text,
  -- Whether the run may delete however many pages are gone.
  is_confirmed boolean not null default false,
  -- Whether somebody has asked the run to stop.
  is_stopping boolean not null default false,
  requests integer not null default 0,
  bytes bigint not null default 0,
  -- The numbers of pages by outcome, once the run has ended.
  counts jsonb,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index source_runs_source on source_runs (source_id, created_at, id);

-- Every page that a run has met, with the reason for what became of it. The rows of a run that wait are its frontier.
create table source_pages (
  id uuid primary key,
  organization_id uuid not null,
  source_id uuid not null,
  -- Sorted by code points, so that the index finds the addresses that begin with others.
  url text collate "C" not null,
  -- The last run that met the page, whether the page still waits in it, and the number of links from a start address.
  run_id uuid not null,
  is_waiting boolean not null,
  depth integer not null default 0,
  -- The page on which the first link to it stood; null for a start address.
  found_on text,
  -- See `PageOutcome` in domain/knowledge/SourcePage.ts; null until the page was fetched for the first time.
  outcome text,
  detail text,
  http_status integer,
  -- Runs, one after the other, that found the page gone or excluded.
  misses integer not null default 0,
  document_id uuid references documents on delete set null,
  title text,
  language text,
  published_at text,
  text_hash text,
  etag text,
  last_modified text,
  size_bytes bigint,
  fetched_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index source_pages_url on source_pages (source_id, url);
create index source_pages_waiting on source_pages (source_id, depth, id) where is_waiting;
create index source_pages_outcome on source_pages (source_id, outcome);
create index source_pages_document on source_pages (document_id) where document_id is not null;

create sequence source_clock;

-- A queue like `ingestions`, whose job is a source that is to be read: now, or by its schedule. A source has one job at
-- most, so that two runs of it never meet.
create table source_queue (
  source_id uuid primary key,
  organization_id uuid not null,
  -- The run that waits or is under way; null until the schedule begins one.
  run_id uuid,
  turn bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index source_queue_turn on source_queue (turn, created_at);
create index source_queue_organization on source_queue (organization_id, turn);

-- When the next request may be sent to a host, whichever server, organization and source sends it. While a request is
-- under way that is the end of its time.
create unlogged table crawled_hosts (
  host text primary key,
  free_at timestamptz not null
);

-- Questions with the answers that people have approved. Each is a document of its own.
create table questions (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  source_id uuid not null,
  document_id uuid references documents on delete cascade,
  question text not null,
  variants text[] not null default '{}',
  answer text not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index questions_organization on questions (organization_id, id);
create index questions_source on questions (source_id, created_at, id);
create index questions_document on questions (document_id) where document_id is not null;

-- The normalized forms of a question and its variants, as hashes: no two questions of a chatbot share one.
create table question_forms (
  chatbot_id uuid not null,
  form text not null,
  organization_id uuid not null,
  question_id uuid not null,
  -- A hash of the stems of the words that tell it from other questions; null where they are too few to recognize it by.
  words text,
  primary key (chatbot_id, form),
  foreign key (organization_id, question_id) references questions (organization_id, id) on delete cascade
);

create index question_forms_question on question_forms (question_id);
create index question_forms_words on question_forms (chatbot_id, words) where words is not null;

-- Conversations

create table sessions (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  -- Chosen by the client; null when the server opened the session.
  session_token text,
  platform text not null,
  state text not null default 'open' check (state in ('open', 'closed')),
  user_info jsonb not null default '{}',
  message_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Whether the chatbot may still ask for the user's e-mail address: not once the user has declined, or was asked often
  -- enough.
  may_ask_email boolean not null default true,
  -- The key for which alone the session has its token: a short token can be guessed, so it names a session for the key
  -- that opened it. Null for tokens that nobody guesses, and for sessions from before this was kept.
  token_key uuid,
  -- Which visitor of the chat widget the conversation belongs to: a hash, and all that is stored of the visitor. Null for
  -- conversations that API keys have.
  visitor text,
  -- How many replies are none (see `messages.unanswered`), and are rated up and down. What stores or rates a reply moves
  -- them by the difference, under the lock of this row.
  unanswered_replies integer not null default 0,
  rated_up integer not null default 0,
  rated_down integer not null default 0,
  -- The page on which it began, as the visitor's browser tells it, and the language of the questions; null where unknown.
  page jsonb,
  language text,
  -- The milliseconds from a message to the first word of its reply, one number for each of the first replies that were
  -- streamed.
  first_words integer[],
  -- Who answers. It changes in the statement that stores what changes it, by `hand_over` and `hand_back`.
  owner text not null default 'bot' check (owner in ('bot', 'people')),
  -- When the owner last changed; null in a conversation that was never handed over.
  owner_since timestamptz,
  -- The person who looks after it, among `people`.
  assignee uuid,
  -- Since when the visitor has waited for an answer of people; null where nobody waits.
  waiting_since timestamptz,
  tags text[] not null default '{}',
  -- Up to when the visitor, and any person, has read.
  visitor_read_at timestamptz,
  people_read_at timestamptz,
  -- When people were last told by e-mail that the visitor waits, and the visitor that a person has answered.
  people_mailed_at timestamptz,
  visitor_mailed_at timestamptz,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index sessions_organization on sessions (organization_id, id);
-- Two keys may use the same short token. Sessions without a token are not looked up by one.
create unique index sessions_named on sessions (chatbot_id, session_token, token_key) nulls not distinct
  where session_token is not null;
-- A visitor's conversations are found by the address that the chatbot knows; most conversations have none.
create index sessions_email on sessions (organization_id, lower(user_info->>'email'))
  where (user_info->>'email') is not null;
create index sessions_visitor on sessions (organization_id, chatbot_id, visitor, updated_at, id)
  where visitor is not null;
-- All of an organization's conversations have an index of their own for each list: to merge what each of thousands of
-- chatbots has reads thousands of places. Those of few conversations cost a chat mostly nothing.
create index sessions_latest on sessions (organization_id, chatbot_id, updated_at, id);
create index sessions_all_latest on sessions (organization_id, updated_at, id);
create index sessions_unanswered on sessions (organization_id, chatbot_id, updated_at, id) where unanswered_replies > 0;
create index sessions_all_unanswered on sessions (organization_id, updated_at, id) where unanswered_replies > 0;
create index sessions_rated_up on sessions (organization_id, chatbot_id, updated_at, id) where rated_up > 0;
create index sessions_all_rated_up on sessions (organization_id, updated_at, id) where rated_up > 0;
create index sessions_rated_down on sessions (organization_id, chatbot_id, updated_at, id) where rated_down > 0;
create index sessions_all_rated_down on sessions (organization_id, updated_at, id) where rated_down > 0;
create index sessions_of_people on sessions (organization_id, updated_at, id) where owner = 'people';
create index sessions_waiting on sessions (organization_id, updated_at, id) where waiting_since is not null;
create index sessions_assigned on sessions (organization_id, assignee, updated_at, id) where assignee is not null;
create index sessions_tagged on sessions using gin (tags) where tags <> '{}';

create table messages (
  id uuid primary key,
  organization_id uuid not null,
  session_id uuid not null,
  sender_type text not null check (sender_type in ('user', 'bot', 'agent')),
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
  -- `rating`, and `comment` or null.
  feedback jsonb,
  -- The passages on which a reply rests, with quotes; null where it rests on none.
  sources jsonb,
  -- Whether a reply is none: it failed or is empty, or the knowledge base was searched for it and it rests on nothing that
  -- was found. Decided when it is stored.
  unanswered boolean not null default false,
  -- Sentences of a reply that no passage supports, see `Unsupported` in domain/chat/Grounding.ts; null where there is none.
  unsupported jsonb,
  -- The person who wrote it, and their name at that time; of a message of a person alone.
  person_id uuid,
  person_name text,
  -- How far the audio of a spoken reply had come at the end of each of its clauses, see `Spoken` in domain/voice/Heard.ts;
  -- null for replies that were not spoken.
  voice jsonb,
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index messages_session on messages (session_id, created_at, id);
-- Messages of people are few beside all others.
create index messages_of_people on messages (created_at) where sender_type = 'agent';

-- What tools answered is most of a reply: lz4 takes a tenth of the time that pglz does. Not every Postgres is built with it.
do $$
begin
  if 'lz4' = any (select unnest(enumvals) from pg_settings where name = 'default_toast_compression') then
    alter table messages
      alter column content set compression lz4,
      alter column attachments set compression lz4,
      alter column tool_calls set compression lz4,
      alter column tool_results set compression lz4;
  end if;
end
$$;

-- Replies under way that take long, as far as they had got a few seconds ago: what is left of them when their server dies.
-- They become messages only then, so that nobody who reads a conversation meets half a reply that is still being made.
-- Without references: a row is there for as long as its reply is made, or until it expires, and what it took is counted
-- even where its conversation is gone.
create table unfinished_replies (
  -- The reply's message has the same.
  message_id uuid primary key,
  organization_id uuid not null,
  session_id uuid not null,
  chatbot_id uuid not null,
  api_key_id uuid not null,
  -- The message's columns as they would be, and under `costs` what each model took.
  reply jsonb not null,
  updated_at timestamptz not null,
  -- Moves while its server lives.
  expires_at timestamptz not null,
  -- The server that makes it; null where that was started before this was kept.
  server_id uuid
);

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

create sequence mail_clock;

-- A queue like `ingestions`, whose job is an e-mail to one recipient. It holds ids and no text: what is sent is read when
-- it is sent, so that nothing outlives its erasure here.
create table mail_queue (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  session_id uuid not null,
  -- The person who is told that the visitor waits; null for the visitor, who is told of what people have written.
  person_id uuid,
  -- Of the visitor's: the time up to which the messages are known to it.
  since timestamptz,
  turn bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  foreign key (organization_id, session_id) references sessions (organization_id, id) on delete cascade
);

create index mail_queue_turn on mail_queue (turn, created_at);
create index mail_queue_organization on mail_queue (organization_id, turn);
create unique index mail_queue_recipient on mail_queue (session_id, person_id) nulls not distinct;

-- Where conversations are being deleted because their retention is over: by one server at a time for each organization,
-- with what was deleted so far, of which the audit log gets an entry at the end.
create table retention_runs (
  organization_id uuid primary key references organizations on delete cascade,
  -- Moves while its server lives.
  expires_at timestamptz not null,
  conversations bigint not null default 0,
  messages bigint not null default 0
);

-- What answers rest on, what is asked, and the tests of a chatbot

-- The settings by which a chatbot has answered: prompt, model, personality and all else that makes its replies. A row for
-- each that was in use, named by a hash of it.
create table chatbot_setups (
  chatbot_id uuid not null,
  setup_hash text not null,
  organization_id uuid not null,
  setup jsonb not null,
  created_at timestamptz not null default now(),
  primary key (chatbot_id, setup_hash),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index chatbot_setups_organization on chatbot_setups (organization_id);

-- Questions of one subject, see `src/topics/Grouping.ts`.
create table topics (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  name text not null,
  -- Whether a model or a person has named it; until then its name is made of its terms anew.
  is_named boolean not null default false,
  -- What a new question is compared with, see `TopicCentre` in domain/topics/TopicCentre.ts.
  centre jsonb not null,
  state text not null default 'open' check (state in ('open', 'ignored', 'answered')),
  -- When the state was set.
  state_at timestamptz not null default now(),
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index topics_organization on topics (organization_id, id);
create index topics_chatbot on topics (organization_id, chatbot_id, created_at, id);

-- A row for each reply that a chatbot's agent has made, deleted with its message. It has no key of its chatbot, whose
-- messages are deleted before it: each reply would lock the chatbot's row.
create table reply_grounds (
  message_id uuid primary key references messages on delete cascade,
  organization_id uuid not null,
  chatbot_id uuid not null,
  -- The user's question, as it is understood without the messages before it; null where nothing was searched for.
  question text,
  -- The highest similarity of a passage that was found; null where none was.
  similarity real,
  -- Why the reply shows a gap of the knowledge; null where it shows none.
  gap text check (gap in ('unanswered', 'rated_down', 'weak')),
  -- Whether the user has rated the reply up.
  is_rated_up boolean not null default false,
  -- Null until the question was grouped, and where there is no question.
  topic_id uuid,
  -- See `ReplySearch` in domain/chat/ReplyGround.ts; null once the time is over for which it is kept.
  searches jsonb,
  setup_hash text,
  server_version text,
  created_at timestamptz not null default now(),
  foreign key (topic_id) references topics on delete set null
);

create index reply_grounds_chatbot on reply_grounds (organization_id, chatbot_id, created_at);
create index reply_grounds_topic on reply_grounds (topic_id, created_at) where topic_id is not null;
create index reply_grounds_ungrouped on reply_grounds (chatbot_id, created_at) where topic_id is null and question is not null;
create index reply_grounds_kept on reply_grounds (created_at) where searches is not null;

-- Where questions are being grouped: by one server at a time for each chatbot.
create table topic_runs (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  run_id uuid not null,
  -- Moves while its server lives.
  expires_at timestamptz not null,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index topic_runs_organization on topic_runs (organization_id);

-- What a chatbot is expected to find and to say.
create table tests (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  question text not null,
  -- The turns before the question.
  history jsonb not null default '[]',
  -- See `Expectations` in domain/evaluation/ChatbotTest.ts.
  expectations jsonb not null,
  tags text[] not null default '{}',
  -- The reply that it was made from, which may be deleted since.
  message_id uuid,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index tests_organization on tests (organization_id, id);
create index tests_chatbot on tests (organization_id, chatbot_id, created_at, id);

-- How the tests of a chatbot are run; the defaults hold where there is no row.
create table test_plans (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  -- See `TestPlan` in domain/evaluation/TestRun.ts.
  plan jsonb not null,
  version bigint not null default 1,
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index test_plans_organization on test_plans (organization_id);

create table test_runs (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  tier text not null check (tier in ('search', 'model')),
  trigger text not null check (trigger in ('manual', 'schedule', 'change', 'version')),
  status text not null check (status in ('queued', 'running', 'finished', 'stopped', 'failed')),
  is_stopping boolean not null default false,
  -- Only tests with one of these tags; empty for all.
  tags text[] not null default '{}',
  -- The key that has started it, by whose budget the second tier is limited; null for a run by itself.
  api_key_id uuid,
  -- See `TestCounts` in domain/evaluation/TestRun.ts.
  counts jsonb not null default '{"total": 0, "done": 0, "untouched": 0, "passed": 0, "failed": 0, "errors": 0, "better": 0, "worse": 0, "different": 0}',
  tokens_used bigint not null default 0,
  -- A hash of the settings that make answers, see evaluation/SetupHash.ts.
  setup_hash text,
  server_version text,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index test_runs_organization on test_runs (organization_id, id);
create index test_runs_chatbot on test_runs (organization_id, chatbot_id, created_at, id);

-- The result of a test in a run that has run it anew. A run has no row for a test that its cause cannot touch.
create table test_results (
  run_id uuid not null,
  test_id uuid not null,
  organization_id uuid not null,
  tier text not null,
  outcome text not null check (outcome in ('passed', 'failed', 'error')),
  -- Compared with the result before; null where there is none.
  change text check (change in ('better', 'worse', 'different', 'same')),
  -- See `TestResult` in domain/evaluation/TestRun.ts.
  details jsonb not null,
  -- A hash of what the search found, with its contents.
  fingerprint text,
  -- The version of the test that was run.
  test_version bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (run_id, test_id),
  foreign key (organization_id, run_id) references test_runs (organization_id, id) on delete cascade,
  foreign key (organization_id, test_id) references tests (organization_id, id) on delete cascade
);

create index test_results_latest on test_results (test_id, tier, created_at desc);
create index test_results_organization on test_results (organization_id);

create sequence test_clock;

-- A queue like `source_queue`, whose job is a chatbot whose tests are to be run: now, by its plan, or since something has
-- changed.
create table test_queue (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  -- The run that waits or is under way; null until one begins by the plan or because of a change.
  run_id uuid,
  trigger text not null default 'manual',
  -- Whether something has changed since the run was queued or began, so that another run follows.
  is_again boolean not null default false,
  -- The version of the servers that may take the job; null for all.
  server_version text,
  turn bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index test_queue_turn on test_queue (turn, created_at);
create index test_queue_organization on test_queue (organization_id, turn);

-- Webhooks

-- Addresses of customers' servers that are told of events. What stores a fact stores its deliveries with it, by triggers,
-- so that no path can forget one; an organization without webhooks pays one look into an index for a fact.
create table webhooks (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  -- The only chatbot whose events are sent; null for all.
  chatbot_id uuid,
  url text not null,
  description text not null,
  events text[] not null,
  active boolean not null default true,
  -- Why the server has switched it off: `gone` or `failing`; null when it has not.
  switched_off text,
  -- Attempts that have failed since the last one that succeeded, and the time of the first of them.
  failures integer not null default 0,
  failing_since timestamptz,
  -- What signs; null where it is encrypted.
  secret text,
  sealed bytea,
  sealed_by text,
  -- What signed before, and signs as well until `old_until`.
  old_secret text,
  old_sealed bytea,
  old_sealed_by text,
  old_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  check ((secret is null) <> (sealed is null) and (sealed is null) = (sealed_by is null)),
  check (num_nonnulls(old_secret, old_sealed) = (old_until is not null)::int and (old_sealed is null) = (old_sealed_by is null))
);

create index webhooks_organization on webhooks (organization_id, created_at, id);
create index webhooks_chatbot on webhooks (organization_id, chatbot_id) where chatbot_id is not null;

-- One row for each event and webhook, and a job of its own, in no order: a server that has room claims the row, sends it
-- and stores the outcome. It holds ids and no text: what is sent is read from the rows that the event is about when it is
-- sent, so that nothing outlives its erasure here. Without a reference to the webhook, whose deletion leaves its
-- deliveries to a job.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null,
  webhook_id uuid not null,
  type text not null,
  -- The conversation, document, chatbot, key or organization that the event belongs to.
  subject uuid not null,
  -- The row that the event is about.
  target uuid not null,
  -- What the rows do not say any more when it is sent. Never a text of a visitor.
  detail jsonb,
  state text not null default 'waiting',
  -- While an attempt is under way, the time from which another server may begin one. Null when it does not wait.
  due_at timestamptz default now(),
  attempts integer not null default 0,
  attempted_at timestamptz,
  response_status integer,
  response text,
  error text,
  duration_ms integer,
  created_at timestamptz not null default clock_timestamp(),
  -- The attempt that is under way.
  lease_id uuid,
  check (state in ('waiting', 'delivered', 'failed')),
  check (state <> 'waiting' or due_at is not null)
);

create index webhook_deliveries_list on webhook_deliveries (webhook_id, created_at, id);
create index webhook_deliveries_of_subject on webhook_deliveries (webhook_id, subject);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where state = 'waiting';
create index webhook_deliveries_next on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease_id is not null;
-- A budget is spent once a day.
create unique index webhook_deliveries_budget on webhook_deliveries (webhook_id, target, (detail->>'day'))
  where type = 'budget.spent';

-- Servers, files and backups. No tenant reads or writes these, but for `blob_garbage`.

-- Blobs to delete once `due_at` has passed. A key stands here from before its blob is written until the row that owns
-- it commits, and again from the commit that drops its owner: a crash at any moment leaves no blob behind for ever.
create table blob_garbage (
  key text primary key,
  due_at timestamptz not null
);

create index blob_garbage_due on blob_garbage (due_at);

-- When a server last began to compare the store with the database: of many that start at once, one does.
create table blob_checks (
  is_only boolean primary key default true check (is_only),
  began_at timestamptz not null default now()
);

-- The store of files that belongs to this database: the store has an empty file whose name ends in the id, once the
-- first server has put it there. Later servers look for it, so that none of them uses another store.
create table file_stores (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  is_marked boolean not null default false
);

-- What the servers of one database share and nobody else may know, such as what signs the tokens of visitors. Made by the
-- first start, and encrypted where the server's settings have a key.
create table server_secrets (
  name text primary key,
  -- 32 bytes; null where they are encrypted.
  value bytea,
  -- A nonce, and what AES-256-GCM makes of the value in base64.
  sealed bytea,
  -- Id of the key, which is among the server's settings.
  sealed_by text,
  created_at timestamptz not null default now(),
  check ((value is null) <> (sealed is null) and (sealed is null) = (sealed_by is null))
);

create sequence server_numbers as integer cycle;

-- The processes that use this database. Each holds the advisory lock of its number in a connection of its own, so that a
-- row whose lock is free is that of a process which has ended, and others take over its work.
create table servers (
  -- The ids of its leases and reservations begin with the first half of this one.
  id uuid primary key,
  number integer not null unique,
  version text not null,
  host text not null,
  pid integer not null,
  -- Among the workers that share a port; null for a process that has its port to itself.
  worker integer,
  -- Connections to this database, at most.
  connections integer not null,
  started_at timestamptz not null default now()
);

-- Backups of this database, for the doctor and for the deletion of files: while one runs, no file is deleted, so that
-- every file of its snapshot is still there when it is copied.
create table backups (
  id uuid primary key,
  began_at timestamptz not null default now(),
  -- No file is deleted before. It moves while the backup runs; null once it has ended.
  holds_until timestamptz,
  -- Null while it runs, and where it was cut off.
  finished_at timestamptz,
  rows bigint,
  files bigint,
  bytes bigint
);

-- A database that was restored from a backup has a row here, whose id tells it from the database that was backed up:
-- both have the same organizations, and a file that only one of them knows is no file without an owner.
create table restorations (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  restored_at timestamptz not null default now()
);

-- Who may do what

-- In a database that was made by Postgres 14 or before, every role may create objects in the schema. Only the owner of the
-- schema can change that; for others this is a warning.
revoke create on schema public from public;
grant usage on schema public to parley_tenant;
grant select, insert, update, delete on blob_garbage to parley_tenant;
grant select on organizations to parley_tenant;
alter table organizations enable row level security;
create policy tenant on organizations to parley_tenant using (id = (select current_organization()));

-- `(select …)` makes it one evaluation for a query instead of one for a row.
do $$
declare
  one record;
begin
  for one in
    select c.table_name as name from information_schema.columns c
    where c.table_schema = 'public' and c.column_name = 'organization_id'
  loop
    execute format('grant select, insert, update, delete on %I to parley_tenant', one.name);
    execute format('alter table %I enable row level security', one.name);
    execute format(
      'create policy tenant on %I to parley_tenant using (organization_id = (select current_organization()))', one.name
    );
  end loop;
end
$$;

revoke update, delete on audit_log from parley_tenant;
revoke update on identity_secrets from parley_tenant;
