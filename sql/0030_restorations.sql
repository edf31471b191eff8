-- usable from: 0026
-- A database that was restored from a backup has a row here, whose id tells it from the database that was backed up:
-- both have the same organizations, and a file that only one of them knows is no file without an owner. No tenant reads
-- or writes it.
create table restorations (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  restored_at timestamptz not null default now()
);
