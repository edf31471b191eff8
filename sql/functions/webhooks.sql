-- Every event that webhooks are told of, but for budgets (storage/usage/Budgets.ts) and for who answers in a conversation
-- (storage/conversations/Handovers.ts).

-- Stores the deliveries of an event.
create or replace function announce_event(
  of_organization uuid, of_chatbot uuid, event text, of_subject uuid, of_target uuid, with_detail jsonb
) returns void
  language sql set search_path = public, pg_temp
  as $$
  insert into webhook_deliveries (organization_id, webhook_id, type, subject, target, detail)
  select of_organization, id, event, of_subject, of_target, with_detail
  from webhooks
  where organization_id = of_organization and active and event = any(events)
    and (chatbot_id is null or chatbot_id = of_chatbot)
  order by id
  on conflict do nothing
$$;

-- A conversation that begins.
create or replace function announce_conversation() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(new.organization_id, new.chatbot_id, 'conversation.created', new.id, new.id, null);
  end if;
  return null;
end
$$;

create or replace trigger announce_conversation after insert on sessions
  for each row execute function announce_conversation();

-- A message, and what a user says of it.
create or replace function announce_message() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(
      new.organization_id, (select chatbot_id from sessions where id = new.session_id),
      case tg_op when 'INSERT' then 'message.created' else 'feedback.created' end, new.session_id, new.id, null
    );
  end if;
  return null;
end
$$;

create or replace trigger announce_message after insert on messages for each row execute function announce_message();

create or replace trigger announce_feedback after update of feedback on messages
  for each row when (new.feedback is not null and new.feedback is distinct from old.feedback)
  execute function announce_message();

-- A document that is ready, or has failed.
create or replace function announce_document() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(
      new.organization_id, new.chatbot_id,
      case when new.error is null then 'document.ready' else 'document.failed' end, new.id, new.id,
      jsonb_build_object('status', new.status, 'revision', new.revision, 'chunk_count', new.chunk_count, 'error', new.error)
    );
  end if;
  return null;
end
$$;

create or replace trigger announce_document after update of revision, status on documents
  for each row when (
    old.revision <> new.revision
    or (new.error is not null and new.status in ('failed', 'ready') and old.status not in ('failed', 'ready'))
  )
  execute function announce_document();

-- A change of a chatbot.
create or replace function announce_chatbot() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(new.organization_id, new.id, 'chatbot.updated', new.id, new.id, null);
  end if;
  return null;
end
$$;

create or replace trigger announce_chatbot after update on chatbots
  for each row when (old.version <> new.version) execute function announce_chatbot();

-- A run of a source that has ended.
create or replace function announce_source_run() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(
      new.organization_id, (select chatbot_id from sources where id = new.source_id),
      case new.status when 'finished' then 'source.finished' else 'source.failed' end, new.source_id, new.id,
      jsonb_build_object('status', new.status, 'counts', new.counts, 'error', new.error)
    );
  end if;
  return null;
end
$$;

create or replace trigger announce_source_run after update of status on source_runs
  for each row when (old.status <> new.status and new.status in ('finished', 'failed', 'held'))
  execute function announce_source_run();

-- A run of tests whose results are worse than before.
create or replace function announce_worse_tests() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks where organization_id = new.organization_id) then
    perform announce_event(
      new.organization_id, new.chatbot_id, 'tests.worse', new.chatbot_id, new.id,
      jsonb_build_object('tier', new.tier, 'trigger', new.trigger, 'status', new.status, 'counts', new.counts,
        'server_version', new.server_version)
    );
  end if;
  return null;
end
$$;

create or replace trigger announce_worse_tests after update of ended_at on test_runs
  for each row when (old.ended_at is null and new.ended_at is not null and (new.counts->>'worse')::int > 0)
  execute function announce_worse_tests();

-- What is said of a conversation goes with it, also the answers of the customer's server, which may repeat it.
create or replace function forget_conversations() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if exists (select from webhooks w where w.organization_id in (select organization_id from dropped)) then
    delete from webhook_deliveries d using webhooks w, dropped s
    where w.organization_id = s.organization_id and d.webhook_id = w.id and d.subject = s.id;
  end if;
  return null;
end
$$;

create or replace trigger forget_conversations after delete on sessions
  referencing old table as dropped for each statement execute function forget_conversations();
