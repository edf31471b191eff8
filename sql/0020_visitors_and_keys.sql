-- The key for which alone the session has its token: a short token can be guessed, so it names a session for the key that
-- opened it. Null for tokens that nobody guesses, and for sessions from before.
alter table sessions add column token_key uuid;

-- Two keys may use the same short token. Sessions without a token are not looked up by one.
create unique index sessions_named on sessions (chatbot_id, session_token, token_key) nulls not distinct
  where session_token is not null;
drop index sessions_token;

-- The id of the key that made a key, or `command line` or `bootstrap`; null for keys from before.
alter table api_keys add column created_by text;

-- What was allowed to every admin key of the operator's organization is a scope of its own.
update api_keys key set scopes = array_append(key.scopes, 'operator')
from organizations owner
where owner.id = key.organization_id and owner.is_operator and 'admin' = any (key.scopes) and 'operator' <> all (key.scopes);
