-- Every queue of jobs has the same columns and the same order, so that one program works them all. `ingestions` has them
-- already.
alter table reembeddings
  add column attempts integer not null default 0,
  add column lapses integer not null default 0,
  add column given_up integer not null default 0,
  add column created_at timestamptz not null default now();

drop index reembeddings_turn;
create index reembeddings_turn on reembeddings (turn, created_at);
