-- usable from: 0026
--
-- The processes that use this database. Each holds the advisory lock of its number in a connection of its own, so that a
-- row whose lock is free is that of a process which has ended, and others take over its work.
create sequence server_numbers as integer cycle;

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

-- The server that makes the reply; null where it was started before this migration.
alter table unfinished_replies add column server_id uuid;
