-- Which visitor of the chat widget the conversation belongs to: a hash, and all that is stored of the visitor. Null for
-- conversations that API keys have.
alter table sessions add column visitor text;
create index sessions_visitor on sessions (organization_id, chatbot_id, visitor, updated_at, id)
  where visitor is not null;

-- The passages on which a reply rests, with quotes; null where it rests on none.
alter table messages add column sources jsonb;
