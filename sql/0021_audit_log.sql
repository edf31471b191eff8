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

grant select, insert on audit_log to parley_tenant;
alter table audit_log enable row level security;
create policy tenant on audit_log to parley_tenant using (organization_id = (select current_organization()));
