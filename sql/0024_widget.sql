-- Publishable keys stand in the pages of websites. They are good for the chat widget of one chatbot only, may be read again,
-- and have no scopes. A key of this kind and the secret ones share what keys have: budgets, expiry, revocation, usage.
alter table api_keys
  add column kind text not null default 'secret',
  -- The key itself; of a secret one, only the hash is stored.
  add column public_key text,
  -- Origins such as `https://example.com` and `https://*.example.com`, or `*`.
  add column allowed_origins text[];

alter table api_keys add constraint api_keys_kind check (
  case kind
    when 'secret' then public_key is null and allowed_origins is null
    when 'publishable' then public_key is not null and allowed_origins is not null and chatbot_id is not null
      and scopes = '{}'
    else false
  end
);

-- The page of a public chatbot names it by its slug alone.
create index chatbots_public on chatbots (slug) where is_public;

-- What the servers of one database share and nobody else may know, such as what signs the tokens of visitors. Made by the
-- first start, and encrypted where the server's settings have a key. No tenant reads or writes it.
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

grant select, insert, delete on identity_secrets to parley_tenant;
alter table identity_secrets enable row level security;
create policy tenant on identity_secrets to parley_tenant using (organization_id = (select current_organization()));
