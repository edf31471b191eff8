-- Makes a revision the one that answers searches, and drops the one before. Returns the keys of the blobs that are
-- garbage now, or null when the lease is lost. A function, so that it is one round trip, while each of its statements
-- still sees what others committed before the document was locked: chunks of an attempt that had lost its lease, too.
create or replace function publish_revision(
  of_document uuid, of_organization uuid, of_lease uuid, new_revision integer, new_chunk_count integer,
  new_omissions jsonb default '[]'
) returns text[]
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  old_blob_key text;
  new_content ingestions;
begin
  -- The document is locked before its queue row, as everywhere: no two transactions wait for each other.
  select blob_key into old_blob_key from documents
  where id = of_document and organization_id = of_organization for update;
  delete from ingestions
  where document_id = of_document and lease_id = of_lease and organization_id = of_organization
  returning * into new_content;
  if old_blob_key is null or new_content.document_id is null then
    return null;
  end if;

  update documents set name = new_content.name, content_type = new_content.content_type,
    size_bytes = new_content.size_bytes, sha256 = new_content.sha256, blob_key = new_content.blob_key,
    revision = new_revision, status = 'ready', progress = 1, chunk_count = new_chunk_count,
    omissions = new_omissions, error = null,
    updated_at = clock_timestamp(),
    embedding_model = (
      select embedding_model from chunks
      where document_id = of_document and revision = new_revision and organization_id = of_organization limit 1
    )
  where id = of_document and organization_id = of_organization;
  delete from chunks
  where document_id = of_document and organization_id = of_organization and revision <> new_revision;
  update chatbots set knowledge_version = knowledge_version + 1
  where id = new_content.chatbot_id and organization_id = of_organization;

  if old_blob_key = new_content.blob_key then
    return array[]::text[];
  end if;
  insert into blob_garbage (key, due_at) values (old_blob_key, now())
  on conflict (key) do update set due_at = excluded.due_at;
  return array[old_blob_key];
end
$$;

-- Chunks of the current organization whose words are what is wanted, and not what is unwanted, which may be null; so many
-- at most, in no order. Where the wanted words are common, so many are read, and those of them that match are returned:
-- the index of words would first list all that match. They may not serve: the server knows which documents do, and to
-- look up the document of each chunk took most of the pages that a search read.
-- As the owner: Postgres does not look into an index of words before it has applied a policy, because `@@` is not
-- leakproof, so that to a tenant such an index is of no use. Whose chunks they are is asked for here instead. Not
-- prepared, because only a plan for this very chatbot may use its own index, see storage/search/LexemeIndexes.ts. No scan
-- of the whole table, which would begin with the chunks of others.
create or replace function stored_matches(of_chatbot uuid, wanted tsquery, unwanted tsquery, at_most integer, is_common boolean)
  returns table (id uuid, document_id uuid, revision integer, language text, lexemes tsvector)
  language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
  as $$
begin
  if coalesce(at_most, 0) <= 0 or wanted is null then
    return;
  end if;
  return query execute format('
    select c.id, c.document_id, c.revision, c.language, c.lexemes
    from (select * from chunks where chatbot_id = $1 and organization_id = $2 %s) c
    where c.lexemes @@ $3 and ($4 is null or not c.lexemes @@ $4)
    limit $5', case when is_common then 'limit $5' end)
    using of_chatbot, current_organization(), wanted, unwanted, at_most;
end
$$;
