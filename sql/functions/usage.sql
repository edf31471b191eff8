-- Waits until nobody else folds or admits for an organization: so no place is given out twice, and two that fold never
-- wait for each other's rows.
create or replace function lock_budget(of_organization uuid) returns void
  language sql
  as $$ select pg_advisory_xact_lock(724201554, hashtext(of_organization::text)) $$;

-- Sums up the entries of an organization in the rows of their days.
create or replace function fold_usage(of_organization uuid) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform lock_budget(of_organization);
  -- Mostly there is nothing: looking first measured three times as many admissions per second.
  if not exists (select from usage_entries where organization_id = of_organization) then
    return;
  end if;
  with taken as (
    delete from usage_entries where organization_id = of_organization returning *
  )
  insert into usage_days
  select organization_id, day, api_key_id, chatbot_id, model, provider, sum(replies), sum(input_tokens),
    sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens)
  from taken where exists (select from organizations where id = of_organization)
  group by organization_id, day, api_key_id, chatbot_id, model, provider
  on conflict (organization_id, day, api_key_id, chatbot_id, model, provider) do update set
    replies = usage_days.replies + excluded.replies,
    input_tokens = usage_days.input_tokens + excluded.input_tokens,
    output_tokens = usage_days.output_tokens + excluded.output_tokens,
    cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = usage_days.cache_write_tokens + excluded.cache_write_tokens;
end
$$;

-- Takes a place and tokens for a chat, or says what is in the way: `concurrent_chats`, `spent` (until midnight, UTC) or
-- `reserved` (until chats under way have ended), of the organization or of the key. A limit that is null is none. Each
-- statement in here sees what others committed before it had the lock. A chat alone may take what is left, so that all
-- of a budget can be spent.
create or replace function reserve_chat(
  reservation uuid, of_organization uuid, of_key uuid, asked bigint, lease interval,
  organization_tokens bigint, organization_chats bigint, key_tokens bigint, key_chats bigint,
  out refusal text, out whose text, out at timestamptz
)
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  running bigint; running_of_key bigint; reserved bigint; reserved_of_key bigint; spent bigint; spent_of_key bigint;
begin
  perform lock_budget(of_organization);
  at := clock_timestamp();
  -- The lock is held until the commit. One that a crash takes back has only folded, and that is done again.
  perform set_config('synchronous_commit', 'off', true);
  delete from chat_reservations where organization_id = of_organization and expires_at <= at;
  select count(*), count(*) filter (where api_key_id = of_key),
    coalesce(sum(tokens), 0), coalesce(sum(tokens) filter (where api_key_id = of_key), 0)
  into running, running_of_key, reserved, reserved_of_key
  from chat_reservations where organization_id = of_organization;

  if running >= organization_chats then
    refusal := 'concurrent_chats'; whose := 'organization'; return;
  elsif running_of_key >= key_chats then
    refusal := 'concurrent_chats'; whose := 'key'; return;
  end if;

  if organization_tokens is not null or key_tokens is not null then
    perform fold_usage(of_organization);
    select coalesce(sum(taken), 0), coalesce(sum(taken) filter (where api_key_id = of_key), 0)
    into spent, spent_of_key
    from (
      select api_key_id, input_tokens + output_tokens + cache_read_tokens + cache_write_tokens as taken
      from usage_days where organization_id = of_organization and day = (at at time zone 'utc')::date
    ) today;
    if spent >= organization_tokens then
      refusal := 'spent'; whose := 'organization'; return;
    elsif spent_of_key >= key_tokens then
      refusal := 'spent'; whose := 'key'; return;
    elsif reserved > 0 and spent + reserved + asked > organization_tokens then
      refusal := 'reserved'; whose := 'organization'; return;
    elsif reserved_of_key > 0 and spent_of_key + reserved_of_key + asked > key_tokens then
      refusal := 'reserved'; whose := 'key'; return;
    end if;
  end if;

  insert into chat_reservations values (reservation, of_organization, of_key, asked, at + lease);
end
$$;
