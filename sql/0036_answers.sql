-- usable from: 0026
-- What answers rest on, what is asked, and the tests of a chatbot.

-- The settings by which a chatbot has answered: prompt, model, personality and whatever else makes its replies. A row for
-- each that was in use, named by a hash of it.
create table chatbot_setups (
  chatbot_id uuid not null,
  setup_hash text not null,
  organization_id uuid not null,
  setup jsonb not null,
  created_at timestamptz not null default now(),
  primary key (chatbot_id, setup_hash),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index chatbot_setups_organization on chatbot_setups (organization_id);

-- Questions of one subject, see `src/topics/Grouping.ts`.
create table topics (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  name text not null,
  -- Whether a model or a person has named it; until then its name is made of its terms anew.
  is_named boolean not null default false,
  -- What a new question is compared with, see `TopicCentre` in domain/topics/TopicCentre.ts.
  centre jsonb not null,
  state text not null default 'open' check (state in ('open', 'ignored', 'answered')),
  -- When the state was set.
  state_at timestamptz not null default now(),
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index topics_organization on topics (organization_id, id);
create index topics_chatbot on topics (organization_id, chatbot_id, created_at, id);

-- A row for each reply that a chatbot's agent has made, deleted with its message. It has no key of its chatbot, whose
-- messages are deleted before it: each reply would lock the chatbot's row.
create table reply_grounds (
  message_id uuid primary key references messages on delete cascade,
  organization_id uuid not null,
  chatbot_id uuid not null,
  -- The user's question, as it is understood without the messages before it; null where nothing was searched for.
  question text,
  -- The highest similarity of a passage that was found; null where none was.
  similarity real,
  -- Why the reply shows a gap of the knowledge; null where it shows none.
  gap text check (gap in ('unanswered', 'rated_down', 'weak')),
  -- Whether the user has rated the reply up.
  is_rated_up boolean not null default false,
  -- Null until the question was grouped, and where there is no question.
  topic_id uuid,
  -- See `ReplySearch` in domain/chat/ReplyGround.ts; null once the time is over for which it is kept.
  searches jsonb,
  setup_hash text,
  server_version text,
  created_at timestamptz not null default now(),
  foreign key (topic_id) references topics on delete set null
);

create index reply_grounds_chatbot on reply_grounds (organization_id, chatbot_id, created_at);
create index reply_grounds_topic on reply_grounds (topic_id, created_at) where topic_id is not null;
create index reply_grounds_ungrouped on reply_grounds (chatbot_id, created_at) where topic_id is null and question is not null;
create index reply_grounds_kept on reply_grounds (created_at) where searches is not null;

-- A gap that appears in a topic whose gaps somebody has closed opens it again.
create function reopen_topic() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  update topics set state = 'open', state_at = now(), version = version + 1
  where id = new.topic_id and organization_id = new.organization_id and state = 'answered'
    -- The reply was there before, and is a gap only now, or its question is grouped only now.
    and (old.topic_id is not null or new.created_at > state_at);
  return null;
end
$$;

create trigger reopen_topic after update of gap, topic_id on reply_grounds
  for each row when (new.gap is not null and new.topic_id is not null and (old.gap is null or old.topic_id is null))
  execute function reopen_topic();

-- A topic goes with the last of its questions.
create function drop_topic() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from topics where id = old.topic_id and organization_id = old.organization_id
    and not exists (select from reply_grounds where topic_id = old.topic_id);
  return null;
end
$$;

create trigger drop_topic after delete on reply_grounds
  for each row when (old.topic_id is not null) execute function drop_topic();

revoke execute on function reopen_topic, drop_topic from public;

-- Where questions are being grouped: by one server at a time for each chatbot.
create table topic_runs (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  run_id uuid not null,
  -- Moves while its server lives.
  expires_at timestamptz not null,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index topic_runs_organization on topic_runs (organization_id);

-- Sentences of a reply that no passage supports, see `Unsupported` in domain/chat/Grounding.ts; null where there is none.
alter table messages add column unsupported jsonb;

-- What a chatbot is expected to find and to say.
create table tests (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  question text not null,
  -- The turns before the question.
  history jsonb not null default '[]',
  -- See `Expectations` in domain/evaluation/ChatbotTest.ts.
  expectations jsonb not null,
  tags text[] not null default '{}',
  -- The reply that it was made from, which may be deleted since.
  message_id uuid,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index tests_organization on tests (organization_id, id);
create index tests_chatbot on tests (organization_id, chatbot_id, created_at, id);

-- How the tests of a chatbot are run; the defaults hold where there is no row.
create table test_plans (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  -- See `TestPlan` in domain/evaluation/TestRun.ts.
  plan jsonb not null,
  version bigint not null default 1,
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index test_plans_organization on test_plans (organization_id);

create table test_runs (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  tier text not null check (tier in ('search', 'model')),
  trigger text not null check (trigger in ('manual', 'schedule', 'change', 'version')),
  status text not null check (status in ('queued', 'running', 'finished', 'stopped', 'failed')),
  is_stopping boolean not null default false,
  -- Only tests with one of these tags; empty for all.
  tags text[] not null default '{}',
  -- The key that has started it, by whose budget the second tier is limited; null for a run by itself.
  api_key_id uuid,
  -- See `TestCounts` in domain/evaluation/TestRun.ts.
  counts jsonb not null default '{"total": 0, "done": 0, "untouched": 0, "passed": 0, "failed": 0, "errors": 0, "better": 0, "worse": 0, "different": 0}',
  tokens_used bigint not null default 0,
  -- A hash of the settings that make answers, see evaluation/SetupHash.ts.
  setup_hash text,
  server_version text,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index test_runs_organization on test_runs (organization_id, id);
create index test_runs_chatbot on test_runs (organization_id, chatbot_id, created_at, id);

-- The result of a test in a run that has run it anew. A run has no row for a test that its cause cannot touch.
create table test_results (
  run_id uuid not null,
  test_id uuid not null,
  organization_id uuid not null,
  tier text not null,
  outcome text not null check (outcome in ('passed', 'failed', 'error')),
  -- Compared with the result before; null where there is none.
  change text check (change in ('better', 'worse', 'different', 'same')),
  -- See `TestResult` in domain/evaluation/TestRun.ts.
  details jsonb not null,
  -- A hash of what the search found, with its contents.
  fingerprint text,
  -- The version of the test that was run.
  test_version bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (run_id, test_id),
  foreign key (organization_id, run_id) references test_runs (organization_id, id) on delete cascade,
  foreign key (organization_id, test_id) references tests (organization_id, id) on delete cascade
);

create index test_results_latest on test_results (test_id, tier, created_at desc);
create index test_results_organization on test_results (organization_id);

-- A queue like `source_queue`, whose job is a chatbot whose tests are to be run: now, by its plan, or since something has
-- changed.
create table test_queue (
  chatbot_id uuid primary key,
  organization_id uuid not null,
  -- The run that waits or is under way; null until one begins by the plan or because of a change.
  run_id uuid,
  trigger text not null default 'manual',
  -- Whether something has changed since the run was queued or began, so that another run follows.
  is_again boolean not null default false,
  -- The version of the servers that may take the job; null for all.
  server_version text,
  turn bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index test_queue_turn on test_queue (turn, created_at);
create index test_queue_organization on test_queue (organization_id, turn);
create sequence test_clock;

-- With its owner's rights, like `take_turn`: the clock is that of all organizations.
create function take_test_turn() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  new.turn := greatest(
    (select last_value from test_clock),
    1 + (select turn from test_queue where organization_id = new.organization_id order by turn desc limit 1)
  );
  return new;
end
$$;

create trigger take_test_turn before insert on test_queue for each row execute function take_test_turn();

-- Queues a run because something has changed: half a minute after the last change, and five minutes after the first at the
-- latest. A run that has begun, or waits by hand, is followed by another.
create function queue_tests(of_chatbot uuid) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  if not exists (
    select from chatbots c join tests t on t.organization_id = c.organization_id and t.chatbot_id = c.id
    where c.id = of_chatbot
  ) then return; end if;
  delete from test_queue
  where chatbot_id = of_chatbot and trigger = 'schedule' and run_id is null and lease_id is null;
  insert into test_queue as q (chatbot_id, organization_id, trigger, run_at)
  select c.id, c.organization_id, 'change', now() + interval '30 seconds'
  from chatbots c join organizations o on o.id = c.organization_id left join test_plans p on p.chatbot_id = c.id
  where c.id = of_chatbot and o.deleted_at is null and coalesce((p.plan->>'on_change')::boolean, true)
  on conflict (chatbot_id) do update set
    is_again = q.is_again or q.run_id is not null or q.lease_id is not null,
    run_at = case when q.trigger = 'change' and q.run_id is null and q.lease_id is null
      then greatest(q.run_at, least(excluded.run_at, q.created_at + interval '5 minutes')) else q.run_at end;
end
$$;

-- Queues the next run of a chatbot's plan, where no other run waits.
create function queue_planned_tests(of_chatbot uuid) returns void
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  delete from test_queue
  where chatbot_id = of_chatbot and trigger = 'schedule' and run_id is null and lease_id is null;
  insert into test_queue (chatbot_id, organization_id, trigger, run_at)
  select chatbot_id, organization_id, 'schedule', greatest(now(),
    coalesce((
      select max(created_at) from test_runs r where r.chatbot_id = of_chatbot and r.organization_id = p.organization_id
        and trigger = 'schedule'
    ), now()) + case plan->>'schedule' when 'daily' then interval '1 day' else interval '7 days' end)
  from test_plans p where chatbot_id = of_chatbot and plan->>'schedule' in ('daily', 'weekly')
  on conflict (chatbot_id) do nothing;
end
$$;

create function queue_tests_of_chatbot() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_tests(new.id);
  return null;
end
$$;

-- What a search, or the answer of the model that costs nothing, depends on.
create trigger queue_tests after update on chatbots
  for each row when (
    old.knowledge_version <> new.knowledge_version or old.name <> new.name
    or (old.settings->>'model' = 'local/extractive') is distinct from (new.settings->>'model' = 'local/extractive')
    or old.settings->'isToolEnabled' is distinct from new.settings->'isToolEnabled'
  )
  execute function queue_tests_of_chatbot();

create function queue_changed_tests() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_tests(chatbot_id) from (select distinct chatbot_id from changed order by chatbot_id) of_chatbots;
  return null;
end
$$;

create trigger queue_new_tests after insert on tests
  referencing new table as changed for each statement execute function queue_changed_tests();
create trigger queue_changed_tests after update on tests
  referencing new table as changed for each statement execute function queue_changed_tests();

create function queue_tests_of_plan() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
begin
  perform queue_planned_tests(new.chatbot_id);
  return null;
end
$$;

create trigger queue_planned_tests after insert or update of plan on test_plans
  for each row execute function queue_tests_of_plan();

create function announce_worse_tests() returns trigger
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

create trigger announce_worse_tests after update of ended_at on test_runs
  for each row when (old.ended_at is null and new.ended_at is not null and (new.counts->>'worse')::int > 0)
  execute function announce_worse_tests();

revoke all on function take_test_turn, queue_tests, queue_planned_tests, queue_tests_of_chatbot, queue_changed_tests,
  queue_tests_of_plan, announce_worse_tests from public;
grant execute on function queue_tests, queue_planned_tests to parley_tenant;

grant select, insert, update, delete on
  chatbot_setups, topics, topic_runs, reply_grounds, tests, test_plans, test_runs, test_results, test_queue to parley_tenant;
alter table chatbot_setups enable row level security;
alter table topics enable row level security;
alter table topic_runs enable row level security;
alter table reply_grounds enable row level security;
alter table tests enable row level security;
alter table test_plans enable row level security;
alter table test_runs enable row level security;
alter table test_results enable row level security;
alter table test_queue enable row level security;
create policy tenant on chatbot_setups to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on topics to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on topic_runs to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on reply_grounds to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on tests to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_plans to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_runs to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_results to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_queue to parley_tenant using (organization_id = (select current_organization()));
