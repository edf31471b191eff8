-- Everything that an organization stores is counted here, so that no statement can forget it. What is counted, and why by
-- entries, is said at the table `holdings`.

-- Counts chatbots and their tools.
create or replace function count_chatbot() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if tg_op = 'INSERT' then
    insert into holding_entries (organization_id, chatbots, tools) values (new.organization_id, 1, new.tool_count);
  elsif tg_op = 'DELETE' then
    insert into holding_entries (organization_id, chatbots, tools) values (old.organization_id, -1, -old.tool_count);
  else
    insert into holding_entries (organization_id, tools) values (new.organization_id, new.tool_count - old.tool_count);
  end if;
  return null;
end
$$;

create or replace trigger count_chatbot after insert or delete on chatbots for each row execute function count_chatbot();

create or replace trigger count_tools after update of tool_count on chatbots
  for each row when (old.tool_count <> new.tool_count) execute function count_chatbot();

-- Counts documents, their bytes and their chunks.
create or replace function count_document() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if tg_op = 'INSERT' then
    insert into holding_entries (organization_id, documents, bytes, chunks)
    values (new.organization_id, 1, new.size_bytes, new.chunk_count);
  else
    insert into holding_entries (organization_id, bytes, chunks)
    values (new.organization_id, new.size_bytes - old.size_bytes, new.chunk_count - old.chunk_count);
  end if;
  return null;
end
$$;

create or replace trigger count_document after insert on documents for each row execute function count_document();

create or replace trigger count_content after update of size_bytes, chunk_count on documents
  for each row when (old.size_bytes <> new.size_bytes or old.chunk_count <> new.chunk_count)
  execute function count_document();

-- Counts deleted documents, which are many at once.
create or replace function uncount_documents() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, documents, bytes, chunks)
  select organization_id, -count(*), -sum(size_bytes), -sum(chunk_count) from dropped group by organization_id;
  return null;
end
$$;

create or replace trigger uncount_documents after delete on documents
  referencing old table as dropped for each statement execute function uncount_documents();

-- Counts conversations.
create or replace function count_conversation() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, conversations) values (new.organization_id, 1);
  return null;
end
$$;

create or replace trigger count_conversation after insert on sessions for each row execute function count_conversation();

-- Counts deleted conversations, which are many at once.
create or replace function uncount_conversations() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, conversations)
  select organization_id, -count(*) from dropped group by organization_id;
  return null;
end
$$;

create or replace trigger uncount_conversations after delete on sessions
  referencing old table as dropped for each statement execute function uncount_conversations();

-- Counts the bytes of attachments.
create or replace function count_attachments() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, bytes)
  select organization_id, case tg_op when 'INSERT' then sum(size) else -sum(size) end
  from changed group by organization_id;
  return null;
end
$$;

create or replace trigger count_attachments after insert on attachments
  referencing new table as changed for each statement execute function count_attachments();

create or replace trigger uncount_attachments after delete on attachments
  referencing old table as changed for each statement execute function count_attachments();

-- Sums up what an organization holds. The lock lasts until the transaction ends, so that of several transactions that
-- check a quota and then store something, each sees what the one before has stored.
create or replace function fold_holdings(of_organization uuid) returns setof holdings
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform pg_advisory_xact_lock(724201555, hashtext(of_organization::text));
  if exists (select from holding_entries where organization_id = of_organization) then
    with taken as (
      delete from holding_entries where organization_id = of_organization returning *
    )
    insert into holdings
    select organization_id, sum(chatbots), sum(tools), sum(documents), sum(bytes), sum(chunks), sum(conversations)
    from taken where exists (select from organizations where id = of_organization)
    group by organization_id
    on conflict (organization_id) do update set
      chatbots = holdings.chatbots + excluded.chatbots,
      tools = holdings.tools + excluded.tools,
      documents = holdings.documents + excluded.documents,
      bytes = holdings.bytes + excluded.bytes,
      chunks = holdings.chunks + excluded.chunks,
      conversations = holdings.conversations + excluded.conversations;
  end if;
  return query select * from holdings where organization_id = of_organization;
end
$$;
