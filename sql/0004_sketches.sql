-- Of an embedding that tells spelling only, four bits for each number: what an index in memory compares. Null where the
-- embedding tells meaning, and in rows of before, whose sketches are made when they are read.
alter table chunks add column sketch bytea;
alter table chunks alter column sketch set storage main;
