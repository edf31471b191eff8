-- usable from: 0026
-- The orders in which all of an organization's rows are read, whatever chatbot they belong to, each by an index of its own:
-- to merge what each of thousands of chatbots has reads thousands of places. They are built while other servers write.

-- A chat writes one entry more of about 60 bytes for each change of its conversation.
create index concurrently sessions_all_latest on sessions (organization_id, updated_at, id);
-- Few conversations are in these.
create index concurrently sessions_all_unanswered on sessions (organization_id, updated_at, id) where unanswered_replies > 0;
create index concurrently sessions_all_rated_up on sessions (organization_id, updated_at, id) where rated_up > 0;
create index concurrently sessions_all_rated_down on sessions (organization_id, updated_at, id) where rated_down > 0;

-- Rare actions, and what one key did, among many entries; of one organization, or of all for the operator.
create index concurrently audit_log_action on audit_log (organization_id, action, created_at, id);
create index concurrently audit_log_all_action on audit_log (action, created_at, id);
create index concurrently audit_log_api_key on audit_log (api_key_id, created_at, id) where api_key_id is not null;

-- The language of each document, which is that of its first chunk, without reading chunks.
create index concurrently chunks_first on chunks (organization_id, chatbot_id, document_id, revision) include (language)
  where ordinal = 1;

-- The conversations of the current organization that have an address. As the owner: Postgres does not look into the index
-- of addresses before it has applied a policy, because `lower` is not leakproof, so that to a tenant it is of no use. Whose
-- they are is asked for here instead.
create function sessions_with_email(wanted text) returns setof uuid
  language sql stable security definer set search_path = public, pg_temp
  as $$
  select id from sessions
  where organization_id = current_organization() and lower(user_info->>'email') = lower(wanted)
    and user_info->>'email' is not null
$$;

revoke all on function sessions_with_email from public;
grant execute on function sessions_with_email to parley_tenant;
