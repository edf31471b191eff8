-- usable from: 0026
-- The store of files that belongs to this database: the store has an empty file whose name ends in the id, once the
-- first server has put it there. Later servers look for it, so that none of them uses another store. No tenant reads or
-- writes it.
create table file_stores (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  is_marked boolean not null default false
);
