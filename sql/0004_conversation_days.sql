-- usable from: 0002
-- The sums of reports on conversations, of days that are over. They are made when a report asks for them, and deleted by
-- what changes a conversation of such a day, see `sql/functions/conversation_days.sql`.
create table folded_days (
  organization_id uuid not null references organizations on delete cascade,
  day date not null,
  primary key (organization_id, day)
);

-- Each conversation counts once for each kind.
create table conversation_days (
  organization_id uuid not null,
  day date not null,
  chatbot_id uuid not null,
  -- `created` has the quarter of an hour in which the conversation began, by its number since 1970: of these, the hours of
  -- every time zone can be made.
  kind text not null check (kind in ('platform', 'language', 'page', 'created')),
  -- Null where unknown.
  value text,
  conversations integer not null,
  questions integer not null,
  unanswered integer not null,
  rated_up integer not null,
  rated_down integer not null,
  resolved integer not null,
  -- The times to the first word: for each step of 4 % its number, in two bytes, and how many replies had it, in four.
  first_words bytea not null,
  foreign key (organization_id, day) references folded_days on delete cascade
);

-- Without the value, which may be longer than an index takes.
create index conversation_days_kind on conversation_days (organization_id, day, kind);

grant select, insert, update, delete on folded_days, conversation_days to parley_tenant;
alter table folded_days enable row level security;
alter table conversation_days enable row level security;
create policy tenant on folded_days to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on conversation_days to parley_tenant using (organization_id = (select current_organization()));
