-- The passages that searches find. A chunk answers searches only while its document is at its revision, so that moving
-- `documents.revision` replaces all of a document's chunks at once; whoever moves it, or deletes a serving document,
-- moves `chatbots.knowledge_version` in the same transaction.

create table chunks (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  chatbot_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  -- From 1, in reading order.
  ordinal integer not null,
  title text not null,
  headings text[] not null,
  content text not null,
  page integer,
  -- A text search configuration: how its words are stemmed. Not of type regconfig, which pg_upgrade refuses.
  language text not null,
  -- Of the words that the program found: the title's weighted A, the headings' B.
  lexemes tsvector not null,
  embedding vector not null,
  embedding_model text not null,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade,
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);

create unique index chunks_ordinal on chunks (document_id, revision, ordinal);
create index chunks_chatbot on chunks (chatbot_id);
create index chunks_organization on chunks (organization_id);

-- Vectors are read by the thousand, lexemes and content by the dozen: the vector stays in the row as long as it fits
-- (fetching it from elsewhere is ten times slower), and so does the rest of a row that fills one page at the most.
alter table chunks alter column embedding set storage main;
alter table chunks set (toast_tuple_target = 8160);

grant select, insert, update, delete on chunks to parley_tenant;
alter table chunks enable row level security;
create policy tenant on chunks to parley_tenant using (organization_id = (select current_organization()));
