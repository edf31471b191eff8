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
  expires_at timestamptz not null
);

grant select, insert, update, delete on unfinished_replies to parley_tenant;
alter table unfinished_replies enable row level security;
create policy tenant on unfinished_replies to parley_tenant
  using (organization_id = (select current_organization()));
