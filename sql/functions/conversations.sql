-- The conversations of the current organization that have an address. As the owner: Postgres does not look into the index
-- of addresses before it has applied a policy, because `lower` is not leakproof, so that to a tenant it is of no use. Whose
-- they are is asked for here instead.
create or replace function sessions_with_email(wanted text) returns setof uuid
  language sql stable security definer set search_path = public, pg_temp
  as $$
  select id from sessions
  where organization_id = current_organization() and lower(user_info->>'email') = lower(wanted)
    and user_info->>'email' is not null
$$;

-- Sends attachments with a message, and returns them as the message names them; null for none. `of_visitor` is who
-- uploaded them, null for a person or an API key. The statement that stores the message calls it. One that is
-- another's, or was sent with another message, is a violation of the constraint `attachments_sendable`.
create or replace function send_attachments(
  of_organization uuid, of_chatbot uuid, of_session uuid, of_message uuid, of_visitor text, ids uuid[]
) returns jsonb
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  sent jsonb;
begin
  if coalesce(cardinality(ids), 0) = 0 then return null; end if;
  with mine as (
    update attachments set session_id = of_session, message_id = of_message
    where id = any(ids) and organization_id = of_organization and chatbot_id = of_chatbot
      and visitor is not distinct from of_visitor and (message_id is null or message_id = of_message)
    returning id, name, url
  )
  select jsonb_agg(jsonb_build_object('name', name, 'url', url) order by array_position(ids, id)) into sent from mine;
  if coalesce(jsonb_array_length(sent), 0) <> cardinality(ids) then
    raise exception using errcode = 'check_violation', constraint = 'attachments_sendable',
      message = 'an attachment cannot be sent with this message';
  end if;
  return sent;
end
$$;

-- An answer goes with its conversation, whatever deletes that. The key stays taken, so that the chat is not repeated.
create or replace function forget_answers() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  update idempotency_keys k set answer = null, session_id = null from dropped
  where k.session_id = dropped.id and k.organization_id = dropped.organization_id;
  return null;
end
$$;

create or replace trigger forget_answers after delete on sessions
  referencing old table as dropped for each statement execute function forget_answers();
