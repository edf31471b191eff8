-- Counts the conversations whose latest activity was on a day, UTC, as rows of `conversation_days` of one kind or more.
-- With a search path, it is not made a part of a statement of a tenant. There, Postgres would not look into the index of
-- times before it has applied a policy, since the bounds of a day that a column has are not leakproof.
create or replace function count_conversations(of_organization uuid, of_day date, of_kinds text[])
  returns setof conversation_days
  language sql stable set search_path = public, pg_temp
  as $$
  with counted as (
    select chatbot_id, kind, first_words, message_count, unanswered_replies, rated_up, rated_down,
      case kind when 'platform' then platform when 'language' then language when 'page' then page->>'url'
        when 'created' then floor(extract(epoch from created_at) / 900)::bigint::text end as value
    from sessions, unnest(of_kinds) kind
    where organization_id = of_organization and updated_at >= of_day::timestamp at time zone 'utc'
      and updated_at < (of_day + 1)::timestamp at time zone 'utc'
  ), parts as (
    select chatbot_id, kind, value, count(*) as conversations, sum((message_count + 1) / 2) as questions,
      sum(unanswered_replies) as unanswered, sum(rated_up) as rated_up, sum(rated_down) as rated_down,
      count(*) filter (where message_count > 1 and unanswered_replies = 0 and rated_down = 0) as resolved,
      null::float8 as step, null::int as replies
    from counted group by chatbot_id, kind, value
    union all
    -- The times are counted apart from the conversations: together, each time would have all columns.
    select chatbot_id, kind, value, 0, 0, 0, 0, 0, 0,
      round(ln(greatest(word, 1)::float8) / ln(1.04::float8)) as step, count(*)::int
    from (select chatbot_id, kind, value, unnest(first_words) as word from counted) words
    group by chatbot_id, kind, value, step
  )
  select of_organization, of_day, chatbot_id, kind, value, sum(conversations)::int, sum(questions)::int,
    sum(unanswered)::int, sum(rated_up)::int, sum(rated_down)::int, sum(resolved)::int,
    coalesce(string_agg(int2send(step::int2) || int4send(replies), ''), '')
  from parts group by chatbot_id, kind, value
$$;

-- The days of a report that have no sums, from that of the organization's earliest conversation on.
create or replace function unfolded_days(of_organization uuid, first date, last date) returns setof date
  language sql stable
  as $$
  select greatest(first, earliest) + n
  from (
    select (updated_at at time zone 'utc')::date as earliest from sessions where organization_id = of_organization
    order by updated_at limit 1
  ) s, generate_series(0, last - greatest(first, earliest)) n
  where not exists (
    select from folded_days where organization_id = of_organization and day = greatest(first, earliest) + n
  )
$$;

-- The key of the lock of a day. Changes to its conversations share it, and who makes its sums has it alone: so they see each
-- other's.
create or replace function day_lock(of_organization uuid, of_day date) returns integer
  language sql stable
  as $$ select hashtext(of_organization::text || of_day::text) $$;

-- Makes the sums of a day, unless it has them. After the lock, each statement sees what was committed before.
create or replace function fold_conversations(of_organization uuid, of_day date) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform pg_advisory_xact_lock(724201556, day_lock(of_organization, of_day));
  insert into folded_days values (of_organization, of_day) on conflict do nothing;
  if found then
    insert into conversation_days
    select * from count_conversations(of_organization, of_day, '{platform, language, page, created}');
  end if;
end
$$;

-- Deletes the sums of days of which conversations have changed or are gone; none is made of a day that is not over.
create or replace function unfold_days(of_organization uuid, days date[]) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  one date;
begin
  for one in
    select distinct day from unnest(days) day where day < (now() at time zone 'utc')::date order by day
  loop
    perform pg_advisory_xact_lock_shared(724201556, day_lock(of_organization, one));
    delete from folded_days where organization_id = of_organization and day = one;
  end loop;
end
$$;

-- The days of a conversation before and after its change.
create or replace function unfold_changed() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform unfold_days(old.organization_id,
    array[(old.updated_at at time zone 'utc')::date, (new.updated_at at time zone 'utc')::date]);
  return null;
end
$$;

-- A change of what reports count. The condition keeps chats in conversations of today, which are most of them, from calling a
-- function.
create or replace trigger unfold_changed
  after update of updated_at, created_at, chatbot_id, message_count, unanswered_replies, rated_up, rated_down, language,
    platform, page, first_words
  on sessions for each row when (least(old.updated_at, new.updated_at) < date_trunc('day', now(), 'utc'))
  execute function unfold_changed();

-- The days of conversations that are gone, whatever deletes them.
create or replace function unfold_dropped() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform unfold_days(organization_id, array_agg(distinct (updated_at at time zone 'utc')::date))
  from dropped group by organization_id;
  return null;
end
$$;

create or replace trigger unfold_dropped after delete on sessions
  referencing old table as dropped for each statement execute function unfold_dropped();
