-- What models took. A reply and its entry are one statement; entries are only ever added on the path of a chat, so that
-- replies of one chatbot do not wait for each other, as they would for a row that all of them count in. Folding makes rows
-- of a day of them, soon after. Usage outlives the conversations and chatbots that it came from.

create table usage_entries (
  organization_id uuid not null,
  -- The reply's.
  message_id uuid not null,
  api_key_id uuid not null,
  chatbot_id uuid not null,
  model text not null,
  provider text not null,
  day date not null default (now() at time zone 'utc')::date,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  primary key (organization_id, message_id)
);

create table usage_days (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  api_key_id uuid not null,
  chatbot_id uuid not null,
  model text not null,
  provider text not null,
  replies bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  primary key (organization_id, day, api_key_id, chatbot_id, model, provider)
);

create index usage_days_day on usage_days (day);

-- Chats under way, of organizations and keys that have a budget. Unlogged: a server that crashed has none under way.
create unlogged table chat_reservations (
  id uuid primary key,
  organization_id uuid not null,
  api_key_id uuid not null,
  tokens bigint not null,
  -- Whoever made it is dead by then.
  expires_at timestamptz not null
);

create index chat_reservations_organization on chat_reservations (organization_id);

-- What an operator has set, each a number or "unlimited"; where it is null, the server's settings decide.
alter table organizations add column budget jsonb not null default '{"tokens_per_day": null, "concurrent_chats": null}';
alter table api_keys add column budget jsonb not null default '{"tokens_per_day": null, "concurrent_chats": null}';

-- `rating`, and `comment` or null.
alter table messages add column feedback jsonb;

-- Whoever folds or admits for an organization does so alone: so no place is given out twice, and two who fold never wait
-- for each other's rows.
create function lock_budget(of_organization uuid) returns void
  language sql
  as $$ select pg_advisory_xact_lock(724201554, hashtext(of_organization::text)) $$;

create function fold_usage(of_organization uuid) returns void
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
  select organization_id, day, api_key_id, chatbot_id, model, provider, count(*), sum(input_tokens), sum(output_tokens),
    sum(cache_read_tokens), sum(cache_write_tokens)
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
create function reserve_chat(
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

grant select, insert, update, delete on usage_entries, usage_days, chat_reservations to parley_tenant;

alter table usage_entries enable row level security;
alter table usage_days enable row level security;
alter table chat_reservations enable row level security;
create policy tenant on usage_entries to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on usage_days to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on chat_reservations to parley_tenant using (organization_id = (select current_organization()));
