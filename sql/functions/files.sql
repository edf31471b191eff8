-- The database itself keeps the register of blobs without an owner, `blob_garbage`: what gives a blob an owner takes its
-- key off the register, and what takes its owner away puts it there, in the same transaction. So no statement can forget
-- one: none that deletes by reference, and none that sees other rows than the one before it.

-- A blob that has an owner is not to be deleted.
create or replace function own_blob() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from blob_garbage where key = new.blob_key;
  return null;
end
$$;

create or replace trigger own_blob after insert on documents for each row execute function own_blob();

create or replace trigger own_blob after insert on ingestions for each row execute function own_blob();

create or replace trigger own_blob after insert on attachments for each row execute function own_blob();

-- All of a knowledge base, or of a conversation, at once. What waits for a document goes with it, by reference, and has a
-- trigger of its own.
create or replace function disown_blobs() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into blob_garbage (key, due_at) select distinct blob_key, now() from dropped
  on conflict (key) do update set due_at = excluded.due_at;
  return null;
end
$$;

create or replace trigger disown_blobs after delete on documents
  referencing old table as dropped for each statement execute function disown_blobs();

create or replace trigger disown_blobs after delete on attachments
  referencing old table as dropped for each statement execute function disown_blobs();

-- What waits is often the document's own content, which stays.
create or replace function disown_waiting_blob() returns trigger
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

create or replace trigger disown_waiting_blob after delete on ingestions
  for each row execute function disown_waiting_blob();

-- A document that gets another blob gives up the one before.
create or replace function exchange_blob() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from blob_garbage where key = new.blob_key;
  insert into blob_garbage (key, due_at) values (old.blob_key, now())
  on conflict (key) do update set due_at = excluded.due_at;
  return null;
end
$$;

create or replace trigger exchange_blob after update of blob_key on documents
  for each row when (old.blob_key <> new.blob_key) execute function exchange_blob();

-- A chatbot that gets another avatar, or is deleted, gives up the one before.
create or replace function exchange_avatar() returns trigger
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

create or replace trigger exchange_avatar after update of avatar_blob on chatbots
  for each row when (old.avatar_blob is distinct from new.avatar_blob) execute function exchange_avatar();

create or replace trigger drop_avatar after delete on chatbots
  for each row when (old.avatar_blob is not null) execute function exchange_avatar();
