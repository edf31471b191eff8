-- usable from: 0026
-- A queue like `test_queue`, whose job is an e-mail to one recipient. It holds ids and no text: what is sent is read when
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
create sequence mail_clock;

-- With its owner's rights, like `take_turn`: the clock is that of all organizations.
create function take_mail_turn() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  new.turn := greatest(
    (select last_value from mail_clock),
    1 + (select turn from mail_queue where organization_id = new.organization_id order by turn desc limit 1)
  );
  return new;
end
$$;

create trigger take_mail_turn before insert on mail_queue for each row execute function take_mail_turn();

revoke all on function take_mail_turn from public;
grant select, insert, update, delete on mail_queue to parley_tenant;
alter table mail_queue enable row level security;
create policy tenant on mail_queue to parley_tenant using (organization_id = (select current_organization()));
