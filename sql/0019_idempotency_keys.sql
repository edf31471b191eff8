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

grant select, insert, update, delete on idempotency_keys to parley_tenant;
alter table idempotency_keys enable row level security;
create policy tenant on idempotency_keys to parley_tenant
  using (organization_id = (select current_organization()));

-- An answer goes with its conversation, whatever deletes that. The key stays taken, so that the chat is not repeated.
create function forget_answers() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  update idempotency_keys k set answer = null, session_id = null from dropped
  where k.session_id = dropped.id and k.organization_id = dropped.organization_id;
  return null;
end
$$;

create trigger forget_answers after delete on sessions
  referencing old table as dropped for each statement execute function forget_answers();
