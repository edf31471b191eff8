-- Headers of a tool may be encrypted: then `headers` says only their names, each with null, and the rest is here.
alter table chatbot_tools
  -- A nonce, and what AES-256-GCM makes of `headers` for this tool of this organization, and the server that it calls.
  add column sealed_headers bytea,
  -- Id of the key, which is among the server's settings.
  add column sealed_by text,
  add check ((sealed_headers is null) = (sealed_by is null));
