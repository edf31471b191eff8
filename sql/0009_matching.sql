-- Chunks of the current organization whose words are what is wanted, and not what is unwanted, which may be null; so many
-- at most, in no order. As the owner: Postgres does not look into an index of words before it has applied a policy, because `@@` is not
-- leakproof, so that to a tenant such an index is of no use. Whose chunks they are is asked for here instead. Not prepared,
-- because only a plan for this very chatbot may use its own index, see `storage/LexemeIndexes.ts`.
create function matching_chunks(of_chatbot uuid, wanted tsquery, unwanted tsquery, at_most integer)
  returns table (id uuid, document_id uuid, revision integer, language text, lexemes tsvector)
  language plpgsql stable security definer set search_path = public, pg_temp
  as $$
begin
  if coalesce(at_most, 0) <= 0 or wanted is null then
    return;
  end if;
  return query execute '
    select c.id, c.document_id, c.revision, c.language, c.lexemes
    from chunks c join documents d on d.id = c.document_id and d.revision = c.revision
    where c.chatbot_id = $1 and d.chatbot_id = $1
      and c.organization_id = $2 and d.organization_id = $2
      and c.lexemes @@ $3 and ($4 is null or not c.lexemes @@ $4)
    limit $5'
    using of_chatbot, current_organization(), wanted, unwanted, at_most;
end
$$;
