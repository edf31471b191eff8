-- usable from: 0026
-- Chunks of the current organization whose words are what is wanted, and not what is unwanted, which may be null; so many
-- at most, in no order. Where the wanted words are common, so many are read, and those of them that match are returned:
-- the index of words would first list all that match. They may not serve: the server knows which documents do, and to
-- look up the document of each chunk took most of the pages that a search read. As the owner, for the reason given at
-- `matching_chunks`, which is for servers of earlier versions. No scan of the whole table, which would begin with the
-- chunks of others.
create function stored_matches(of_chatbot uuid, wanted tsquery, unwanted tsquery, at_most integer, is_common boolean)
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

revoke all on function stored_matches from public;
grant execute on function stored_matches to parley_tenant;
