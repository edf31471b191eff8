-- The database itself keeps the register of blobs without an owner: whatever gives a blob an owner takes its key off the
-- register, and whatever takes its owner away puts it there, in the same transaction. So no statement can forget one:
-- none that deletes by reference, and none that sees other rows than the one before it.

create function own_blob() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from blob_garbage where key = new.blob_key;
  return null;
end
$$;

create trigger own_blob after insert on documents for each row execute function own_blob();
create trigger own_blob after insert on ingestions for each row execute function own_blob();

-- All of a knowledge base at once. What waits for a document goes with it, by reference, and has a trigger of its own.
create function disown_blobs() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into blob_garbage (key, due_at) select distinct blob_key, now() from dropped
  on conflict (key) do update set due_at = excluded.due_at;
  return null;
end
$$;

create trigger disown_blobs after delete on documents
  referencing old table as dropped for each statement execute function disown_blobs();

-- What waits is often the document's own content, which stays.
create function disown_waiting_blob() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if not exists (select from documents where id = old.document_id and blob_key = old.blob_key) then
    insert into blob_garbage (key, due_at) values (old.blob_key, now())
    on conflict (key) do update set due_at = excluded.due_at;
  end if;
  return null;
end
$$;

create trigger disown_waiting_blob after delete on ingestions
  for each row execute function disown_waiting_blob();

create function exchange_blob() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from blob_garbage where key = new.blob_key;
  insert into blob_garbage (key, due_at) values (old.blob_key, now())
  on conflict (key) do update set due_at = excluded.due_at;
  return null;
end
$$;

create trigger exchange_blob after update of blob_key on documents
  for each row when (old.blob_key <> new.blob_key) execute function exchange_blob();

create function exchange_avatar() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if tg_op = 'UPDATE' then
    delete from blob_garbage where key = new.avatar_blob;
  end if;
  if old.avatar_blob is not null then
    insert into blob_garbage (key, due_at) values (old.avatar_blob, now())
    on conflict (key) do update set due_at = excluded.due_at;
  end if;
  return null;
end
$$;

create trigger exchange_avatar after update of avatar_blob on chatbots
  for each row when (old.avatar_blob is distinct from new.avatar_blob) execute function exchange_avatar();
create trigger drop_avatar after delete on chatbots
  for each row when (old.avatar_blob is not null) execute function exchange_avatar();

-- Whose the files are that the store lists.
create index documents_blob on documents (blob_key);
create index ingestions_blob on ingestions (blob_key);
create index chatbots_avatar on chatbots (avatar_blob) where avatar_blob is not null;

-- When a server last began to compare the store with the database: of many that start at once, one does.
create table blob_checks (
  is_only boolean primary key default true check (is_only),
  began_at timestamptz not null default now()
);

-- How often a lease ended without a word, which says little of the document. `attempts` counts what the document itself
-- failed, from now on; until now it counted every beginning.
alter table ingestions add column lapses integer not null default 0;
update ingestions set attempts = 0;

-- How often it was given up, to be tried again much later. Those that were given up for good have that before them.
alter table ingestions add column given_up integer not null default 0;
insert into ingestions (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, given_up)
select id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, 1
from documents where status = 'failed' and error->>'code' = 'gave_up'
on conflict do nothing;
