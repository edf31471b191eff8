-- usable from: 0026
-- What a document has that its text has not: kinds, how many of each, and where the first are.

alter table documents add column omissions jsonb not null default '[]';

-- As before, and with what was left out. A server of a version that does not know it leaves the list empty.
drop function publish_revision(uuid, uuid, uuid, integer, integer);
create function publish_revision(
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

revoke execute on function publish_revision from public;
grant execute on function publish_revision to parley_tenant;
