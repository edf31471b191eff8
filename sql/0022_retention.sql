-- For how many days after their last activity the organization's conversations are kept; null leaves that to the server.
alter table organizations add column retention_days integer check (retention_days > 0);

-- A visitor's conversations are found by the address that the chatbot knows; most conversations have none.
create index sessions_email on sessions (organization_id, lower(user_info->>'email'))
  where (user_info->>'email') is not null;

-- Where conversations are being deleted because their retention is over: by one server at a time for each organization,
-- with what was deleted so far, of which the audit log gets an entry at the end.
create table retention_runs (
  organization_id uuid primary key references organizations on delete cascade,
  -- Moves while its server lives.
  expires_at timestamptz not null,
  conversations bigint not null default 0,
  messages bigint not null default 0
);

grant select, insert, update, delete on retention_runs to parley_tenant;
alter table retention_runs enable row level security;
create policy tenant on retention_runs to parley_tenant using (organization_id = (select current_organization()));
