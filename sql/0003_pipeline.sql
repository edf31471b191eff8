-- The queue serves organizations in turn. A file's turn is one after its organization's last that waits, or the turn that
-- is being served; so whoever brings one file is next, however many another has waiting. Finding a turn and finding
-- whose turn it is are one descent of an index each.

create sequence ingestion_clock;

alter table ingestions add column turn bigint not null default 1;
update ingestions i set turn = numbered.turn from (
  select document_id, row_number() over (partition by organization_id order by run_at) as turn from ingestions
) numbered where numbered.document_id = i.document_id;

-- A lease is a time before which nobody else may have it: one column for both.
update ingestions set run_at = leased_until where leased_until is not null;
alter table ingestions drop column leased_until;

drop index ingestions_run_at;
create index ingestions_turn on ingestions (turn, created_at);
drop index ingestions_organization;
create index ingestions_organization on ingestions (organization_id, turn);

-- As the owner, since the clock belongs to no organization; it tells nothing but a number.
create function take_turn() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  as $$
begin
  new.turn := greatest(
    (select last_value from ingestion_clock),
    1 + (select turn from ingestions where organization_id = new.organization_id order by turn desc limit 1)
  );
  return new;
end
$$;

create trigger take_turn before insert on ingestions for each row execute function take_turn();

-- What made the embeddings of the chunks that serve, of all of them; after a change of the setting, until they have been
-- made again, the one before.
alter table documents add column embedding_model text;
update documents d set embedding_model = (
  select c.embedding_model from chunks c where c.document_id = d.id and c.revision = d.revision limit 1
) where revision > 0;
create index documents_embedding_model on documents (embedding_model);

-- Two vectors are compared only when both of these are equal.
alter table chunks add column embedding_dimensions integer not null
  generated always as (vector_dims(embedding)) stored;

-- What the server that was started last makes embeddings with. Others make none anew, or two servers with different
-- settings would undo each other's work for ever.
create table embedding_setting (
  is_only boolean primary key default true check (is_only),
  model text not null,
  changed_at timestamptz not null default now()
);

-- One row per document whose chunks are to be embedded again: a queue like `ingestions`, in turns, too.
create table reembeddings (
  document_id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  turn bigint not null,
  run_at timestamptz not null default now(),
  lease_id uuid,
  foreign key (organization_id, document_id) references documents (organization_id, id) on delete cascade
);

create index reembeddings_turn on reembeddings (turn, document_id);
create index reembeddings_organization on reembeddings (organization_id);

grant select, insert, update, delete on reembeddings to parley_tenant;
alter table reembeddings enable row level security;
create policy tenant on reembeddings to parley_tenant using (organization_id = (select current_organization()));
