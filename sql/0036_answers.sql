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

-- Questions of one subject, see topics/Grouping.ts.
create table topics (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  name text not null,
  -- Whether a model or a person has named it; until then its name is made of its terms anew.
  is_named boolean not null default false,
  -- What a new question is compared with, see `TopicCentre` in topics/Grouping.ts.
  centre jsonb not null,
  state text not null default 'open' check (state in ('open', 'ignored', 'answered')),
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
  -- See `TestCounts` in domain/evaluation/TestRun.ts.
  counts jsonb not null default '{}',
  tokens_used bigint not null default 0,
  knowledge_version bigint,
  setup_hash text,
  server_version text,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create index test_runs_chatbot on test_runs (organization_id, chatbot_id, created_at, id);

-- The result of a test in a run that has run it anew. A run has no row for a test that its cause cannot touch.
create table test_results (
  run_id uuid not null references test_runs on delete cascade,
  test_id uuid not null references tests on delete cascade,
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
  primary key (run_id, test_id)
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

grant select, insert, update, delete on
  chatbot_setups, topics, reply_grounds, tests, test_plans, test_runs, test_results, test_queue to parley_tenant;
alter table chatbot_setups enable row level security;
alter table topics enable row level security;
alter table reply_grounds enable row level security;
alter table tests enable row level security;
alter table test_plans enable row level security;
alter table test_runs enable row level security;
alter table test_results enable row level security;
alter table test_queue enable row level security;
create policy tenant on chatbot_setups to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on topics to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on reply_grounds to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on tests to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_plans to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_runs to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_results to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on test_queue to parley_tenant using (organization_id = (select current_organization()));
