-- Lists are read in the order in which the database made their rows, and only as far as they are shown: ids are made by
-- servers whose clocks differ.
create index chatbots_created on chatbots (organization_id, created_at, id);
create index organizations_created on organizations (created_at, id);
create index api_keys_created on api_keys (organization_id, created_at, id);
drop index api_keys_organization;

-- Counted, and turned over to a later page, without reading the rows: policies ask for the organization.
create index documents_created on documents (organization_id, chatbot_id, created_at, id) include (status);
drop index documents_chatbot;
-- Those that fail, or are under way, are few.
create index documents_unready on documents (organization_id, chatbot_id, status, created_at, id) where status <> 'ready';
create index sessions_latest on sessions (organization_id, chatbot_id, updated_at, id);
drop index sessions_activity;

-- By day and chatbot, as usage is mostly asked for.
alter table usage_days
  drop constraint usage_days_pkey,
  add primary key (organization_id, day, chatbot_id, api_key_id, model, provider);
