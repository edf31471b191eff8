-- usable from: 0026
-- Where knowledge lives beside uploaded files: websites, lists of pages, feeds, texts, and questions with their answers.

create table sources (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  kind text not null check (kind in ('website', 'sitemap', 'llms_txt', 'feed', 'text', 'questions')),
  name text not null,
  -- What the kind needs, see `SourceConfig` in domain/knowledge/Source.ts.
  config jsonb not null,
  schedule text check (schedule in ('hourly', 'daily', 'weekly', 'monthly')),
  -- Hashes of the blocks of text that repeat on the pages of the site; null until enough pages were read.
  repeated jsonb,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index sources_organization on sources (organization_id, id);
create index sources_chatbot on sources (organization_id, chatbot_id, created_at, id);

-- A document that a source has made has its address, and is deleted with the source. `is_approved`: people have written
-- it as the answer to its question.
alter table documents
  add column url text,
  add column source_id uuid,
  add column is_approved boolean not null default false,
  add foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade;
create index documents_source on documents (source_id) where source_id is not null;

create table source_runs (
  id uuid primary key,
  organization_id uuid not null,
  source_id uuid not null,
  trigger text not null check (trigger in ('manual', 'schedule')),
  status text not null check (status in ('queued', 'running', 'finished', 'stopped', 'failed', 'held')),
  -- The outcome whose pages the run fetches again; null for all pages.
  only_outcome text,
  -- Whether the run may delete however many pages are gone.
  is_confirmed boolean not null default false,
  -- Whether somebody has asked the run to stop.
  is_stopping boolean not null default false,
  requests integer not null default 0,
  bytes bigint not null default 0,
  -- The numbers of pages by outcome, once the run has ended.
  counts jsonb,
  error jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index source_runs_source on source_runs (source_id, created_at, id);

-- Every page that a run has met, with the reason for what became of it. The rows of a run that wait are its frontier.
create table source_pages (
  id uuid primary key,
  organization_id uuid not null,
  source_id uuid not null,
  -- Sorted by code points, so that the index finds the addresses that begin with others.
  url text collate "C" not null,
  -- The last run that met the page, whether the page still waits in it, and the number of links from a start address.
  run_id uuid not null,
  is_waiting boolean not null,
  depth integer not null default 0,
  -- The page on which the first link to it stood; null for a start address.
  found_on text,
  -- See `PageOutcome` in domain/knowledge/SourcePage.ts; null until the page was fetched for the first time.
  outcome text,
  detail text,
  http_status integer,
  -- Runs, one after the other, that found the page gone or excluded.
  misses integer not null default 0,
  document_id uuid references documents on delete set null,
  title text,
  language text,
  published_at text,
  text_hash text,
  etag text,
  last_modified text,
  size_bytes bigint,
  fetched_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index source_pages_url on source_pages (source_id, url);
create index source_pages_waiting on source_pages (source_id, depth, id) where is_waiting;
create index source_pages_outcome on source_pages (source_id, outcome);
create index source_pages_document on source_pages (document_id) where document_id is not null;

-- A queue like `ingestions`, whose job is a source that is to be read: now, or by its schedule. A source has one job at
-- most, so that two runs of it never meet.
create table source_queue (
  source_id uuid primary key,
  organization_id uuid not null,
  -- The run that waits or is under way; null until the schedule begins one.
  run_id uuid,
  turn bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  run_at timestamptz not null default now(),
  lease_id uuid,
  attempts integer not null default 0,
  lapses integer not null default 0,
  given_up integer not null default 0,
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index source_queue_turn on source_queue (turn, created_at);
create index source_queue_organization on source_queue (organization_id, turn);
create sequence source_clock;

-- With its owner's rights, like `take_turn`: the clock is that of all organizations.
create function take_source_turn() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  new.turn := greatest(
    (select last_value from source_clock),
    1 + (select turn from source_queue where organization_id = new.organization_id order by turn desc limit 1)
  );
  return new;
end
$$;

create trigger take_source_turn before insert on source_queue for each row execute function take_source_turn();

-- When the next request may be sent to a host, whichever server, organization and source sends it. While a request is
-- under way that is the end of its time.
create unlogged table crawled_hosts (
  host text primary key,
  free_at timestamptz not null
);

-- Questions with the answers that people have approved. Each is a document of its own.
create table questions (
  id uuid primary key,
  organization_id uuid not null,
  chatbot_id uuid not null,
  source_id uuid not null,
  document_id uuid references documents on delete cascade,
  question text not null,
  variants text[] not null default '{}',
  answer text not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index questions_organization on questions (organization_id, id);
create index questions_source on questions (source_id, created_at, id);
create index questions_document on questions (document_id) where document_id is not null;

-- The normalized forms of a question and its variants, as hashes: no two questions of a chatbot share one.
create table question_forms (
  chatbot_id uuid not null,
  form text not null,
  organization_id uuid not null,
  question_id uuid not null,
  -- A hash of the stems of the words that tell it from other questions; null where they are too few to recognize it by.
  words text,
  primary key (chatbot_id, form),
  foreign key (organization_id, question_id) references questions (organization_id, id) on delete cascade
);

create index question_forms_question on question_forms (question_id);
create index question_forms_words on question_forms (chatbot_id, words) where words is not null;

create function announce_source_run() returns trigger
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

create trigger announce_source_run after update of status on source_runs
  for each row when (old.status <> new.status and new.status in ('finished', 'failed', 'held'))
  execute function announce_source_run();

revoke all on function take_source_turn, announce_source_run from public;

grant select, insert, update, delete on sources, source_runs, source_pages, source_queue, questions, question_forms
  to parley_tenant;
alter table sources enable row level security;
alter table source_runs enable row level security;
alter table source_pages enable row level security;
alter table source_queue enable row level security;
alter table questions enable row level security;
alter table question_forms enable row level security;
create policy tenant on sources to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on source_runs to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on source_pages to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on source_queue to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on questions to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on question_forms to parley_tenant using (organization_id = (select current_organization()));
