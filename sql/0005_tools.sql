-- What an operator lets a chatbot's model call: an HTTP endpoint, and how its input becomes a request.

create table chatbot_tools (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  chatbot_id uuid not null,
  name text not null,
  description text not null,
  -- Not jsonb, which would not keep the order of properties; a model reads them in it.
  input_schema json not null,
  method text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  url text not null,
  -- Name → value. They are secrets: the program writes them, sends them to the endpoint, and never shows them.
  headers jsonb not null,
  timeout_ms integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index chatbot_tools_name on chatbot_tools (chatbot_id, name);
create index chatbot_tools_organization on chatbot_tools (organization_id);

-- How many rows a chatbot has there, so that a chat without tools need not ask.
alter table chatbots add column tool_count integer not null default 0;

grant select, insert, update, delete on chatbot_tools to parley_tenant;
alter table chatbot_tools enable row level security;
create policy tenant on chatbot_tools to parley_tenant using (organization_id = (select current_organization()));
