-- What an organization stores is counted as it is stored, so that a quota is checked without counting rows. Each
-- statement adds an entry with its difference, and no common row is updated, so that the chats of an organization do not
-- wait for each other. Whoever asks for the sum folds the entries into one row, alone. Entries have no reference to
-- their organization: it would add a lock on that one row.

create table holdings (
  organization_id uuid primary key references organizations on delete cascade,
  chatbots bigint not null default 0,
  tools bigint not null default 0,
  documents bigint not null default 0,
  bytes bigint not null default 0,
  chunks bigint not null default 0,
  conversations bigint not null default 0
);

create table holding_entries (
  organization_id uuid not null,
  chatbots bigint not null default 0,
  tools bigint not null default 0,
  documents bigint not null default 0,
  bytes bigint not null default 0,
  chunks bigint not null default 0,
  conversations bigint not null default 0
);

create index holding_entries_organization on holding_entries (organization_id);

-- What an operator has set, each a number or "unlimited"; where it is null, the server's settings decide.
alter table organizations add column quota jsonb not null default
  '{"chatbots": null, "tools": null, "documents": null, "bytes": null, "chunks": null, "conversations": null}';

create function count_chatbot() returns trigger
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

create trigger count_chatbot after insert or delete on chatbots for each row execute function count_chatbot();
create trigger count_tools after update of tool_count on chatbots
  for each row when (old.tool_count <> new.tool_count) execute function count_chatbot();

create function count_document() returns trigger
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

create trigger count_document after insert on documents for each row execute function count_document();
create trigger count_content after update of size_bytes, chunk_count on documents
  for each row when (old.size_bytes <> new.size_bytes or old.chunk_count <> new.chunk_count)
  execute function count_document();

-- Deletions are of many rows at once.
create function uncount_documents() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, documents, bytes, chunks)
  select organization_id, -count(*), -sum(size_bytes), -sum(chunk_count) from dropped group by organization_id;
  return null;
end
$$;

create trigger uncount_documents after delete on documents
  referencing old table as dropped for each statement execute function uncount_documents();

create function count_conversation() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, conversations) values (new.organization_id, 1);
  return null;
end
$$;

create trigger count_conversation after insert on sessions for each row execute function count_conversation();

create function uncount_conversations() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  insert into holding_entries (organization_id, conversations)
  select organization_id, -count(*) from dropped group by organization_id;
  return null;
end
$$;

create trigger uncount_conversations after delete on sessions
  referencing old table as dropped for each statement execute function uncount_conversations();

-- What there is already. The triggers keep others from writing to these tables until it is counted.
insert into holdings (organization_id, chatbots, tools)
select organization_id, count(*), sum(tool_count) from chatbots group by organization_id;
update holdings h set documents = d.documents, bytes = d.bytes, chunks = d.chunks from (
  select organization_id, count(*) as documents, sum(size_bytes) as bytes, sum(chunk_count) as chunks
  from documents group by organization_id
) d where d.organization_id = h.organization_id;
update holdings h set conversations = s.conversations from (
  select organization_id, count(*) as conversations from sessions group by organization_id
) s where s.organization_id = h.organization_id;

-- Sums up what an organization holds. The lock lasts until the transaction ends, so that of several transactions that
-- check a quota and then store something, each sees what the one before has stored.
create function fold_holdings(of_organization uuid) returns setof holdings
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

grant select, insert, update, delete on holdings, holding_entries to parley_tenant;
alter table holdings enable row level security;
alter table holding_entries enable row level security;
create policy tenant on holdings to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on holding_entries to parley_tenant using (organization_id = (select current_organization()));
