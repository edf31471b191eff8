-- usable from: 0026
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

grant select, insert, update, delete on model_connections to parley_tenant;
alter table model_connections enable row level security;
create policy tenant on model_connections to parley_tenant using (organization_id = (select current_organization()));
