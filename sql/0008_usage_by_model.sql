-- A reply that one model began and another finished took tokens of both: it has an entry for each of them, and counts as
-- a reply of the last.
alter table usage_entries
  add column replies smallint not null default 1,
  drop constraint usage_entries_pkey,
  add primary key (organization_id, message_id, model, provider);

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
