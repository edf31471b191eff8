-- usable from: 0026
-- Documents in Thai, Lao, Khmer or Burmese are read again, because their words are stored as dictionaries split them.

insert into ingestions (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key)
select id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key from documents d
where revision > 0 and exists (
  select from chunks c where c.document_id = d.id and c.revision = d.revision and c.ordinal = 1
    and c.content ~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]'
)
on conflict do nothing;
