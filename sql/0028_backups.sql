-- usable from: 0026
-- Backups of this database, for the doctor and for the deletion of files: while one runs, no file is deleted, so that
-- every file of its snapshot is still there when it is copied. No tenant reads or writes it.
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
