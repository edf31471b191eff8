-- Whether a reply is none: it failed or is empty, or the knowledge base was searched for it and it rests on nothing that
-- was found. Decided when it is stored.
alter table messages add column unanswered boolean not null default false;

-- How many replies of a conversation are so, and are rated up and down. Whoever stores or rates a reply moves them by the
-- difference, under the lock of the session's row.
alter table sessions
  add column unanswered_replies integer not null default 0,
  add column rated_up integer not null default 0,
  add column rated_down integer not null default 0;

update sessions s set rated_up = rated.up, rated_down = rated.down
from (
  select session_id, count(*) filter (where feedback->>'rating' = 'up') as up,
    count(*) filter (where feedback->>'rating' = 'down') as down
  from messages where feedback is not null group by session_id
) rated
where s.id = rated.session_id;

-- Conversations of these kinds are few beside all others, so that a chat mostly leaves these indexes alone.
create index sessions_unanswered on sessions (organization_id, chatbot_id, updated_at, id) where unanswered_replies > 0;
create index sessions_rated_up on sessions (organization_id, chatbot_id, updated_at, id) where rated_up > 0;
create index sessions_rated_down on sessions (organization_id, chatbot_id, updated_at, id) where rated_down > 0;
