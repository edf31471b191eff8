-- A gap that appears in a topic whose gaps somebody has closed opens it again.
create or replace function reopen_topic() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update topics set state = 'open', state_at = now(), version = version + 1
  where id = new.topic_id and organization_id = new.organization_id and state = 'answered'
    -- The reply was there before, and is a gap only now, or its question is grouped only now.
    and (old.topic_id is not null or new.created_at > state_at);
  return null;
end
$$;

create or replace trigger reopen_topic after update of gap, topic_id on reply_grounds
  for each row when (new.gap is not null and new.topic_id is not null and (old.gap is null or old.topic_id is null))
  execute function reopen_topic();

-- A topic goes with the last of its questions.
create or replace function drop_topic() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from topics where id = old.topic_id and organization_id = old.organization_id
    and not exists (select from reply_grounds where topic_id = old.topic_id);
  return null;
end
$$;

create or replace trigger drop_topic after delete on reply_grounds
  for each row when (old.topic_id is not null) execute function drop_topic();
