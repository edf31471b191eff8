-- usable from: 0026
-- People: who they are, what they may do, and where they are signed in.

-- A person acts by a key of the kind `person`, whose id is the person's, so that budgets, rates, usage and the audit log
-- count people as they count keys. The key has no secret that anybody knows: a session of the person stands for it.
alter table api_keys drop constraint api_keys_kind;
alter table api_keys add constraint api_keys_kind check (
  case kind
    when 'secret' then public_key is null and allowed_origins is null
    when 'publishable' then public_key is not null and allowed_origins is not null and chatbot_id is not null
      and scopes = '{}'
    when 'person' then public_key is null and allowed_origins is null and chatbot_id is null
    else false
  end
);

-- A server that signs people in by OpenID Connect.
create table sign_in_providers (
  id uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- The secret of the client; null where it is encrypted.
  secret text,
  sealed bytea,
  sealed_by text,
  -- The claim that names groups or roles, such as `groups`.
  roles_claim text not null,
  -- A list of `RoleMapping`, see domain/people/SignInProvider.ts.
  role_mappings jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((secret is null) <> (sealed is null) and (sealed is null) = (sealed_by is null))
);

create unique index sign_in_providers_organization on sign_in_providers (organization_id, id);

create table people (
  id uuid primary key references api_keys on delete cascade,
  organization_id uuid not null references organizations on delete cascade,
  name text not null,
  email text,
  -- Address of a picture.
  avatar text,
  state text not null default 'invited' check (state in ('invited', 'active', 'removed')),
  -- Who a provider says they are: the issuer and the subject of its tokens. Both null for a person who signs in by a passkey alone.
  issuer text,
  subject text,
  -- SHA-256 of the open invitation's secret.
  invitation_hash bytea,
  invitation_expires_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz,
  check ((issuer is null) = (subject is null))
);

create unique index people_organization on people (organization_id, id);
create unique index people_subject on people (organization_id, issuer, subject);
create unique index people_invitation on people (invitation_hash);
create index people_avatars on people (organization_id) where avatar is not null;

-- A role of a person in the whole organization, or for one chatbot.
create table person_roles (
  person_id uuid not null,
  organization_id uuid not null,
  chatbot_id uuid,
  role text not null check (role in ('owner', 'admin', 'editor', 'agent', 'viewer')),
  -- Whether a claim of the provider gives the role, which then comes and goes with the claim.
  is_claimed boolean not null default false,
  check (chatbot_id is null or role in ('editor', 'agent', 'viewer')),
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade,
  foreign key (organization_id, chatbot_id) references chatbots (organization_id, id) on delete cascade
);

create unique index person_roles_unique on person_roles (person_id, chatbot_id, role, is_claimed) nulls not distinct;
create index person_roles_chatbot on person_roles (chatbot_id) where chatbot_id is not null;
create index person_roles_organization on person_roles (organization_id) where chatbot_id is null;

create table passkeys (
  -- The id of the credential in base64url.
  id text primary key,
  person_id uuid not null,
  organization_id uuid not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade
);

create index passkeys_person on passkeys (organization_id, person_id);

-- A browser in which a person is signed in.
create table person_sessions (
  id uuid primary key,
  person_id uuid not null,
  organization_id uuid not null,
  -- SHA-256 of the secret in the browser's cookie.
  token_hash bytea not null,
  -- The provider that has signed the person in; null for a passkey. Its tokens are encrypted, see `tokens`.
  provider_id uuid,
  -- The refresh token and the id token, encrypted.
  tokens jsonb,
  -- When the provider has last said that the person is one of its own.
  checked_at timestamptz not null default now(),
  -- When a check was last begun that has not succeeded yet.
  tried_at timestamptz,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  address text,
  user_agent text,
  foreign key (organization_id, person_id) references people (organization_id, id) on delete cascade,
  foreign key (organization_id, provider_id) references sign_in_providers (organization_id, id) on delete cascade
);

create unique index person_sessions_token on person_sessions (token_hash);
create index person_sessions_person on person_sessions (organization_id, person_id);
create index person_sessions_checked on person_sessions (checked_at) where provider_id is not null;
create index person_sessions_expiry on person_sessions (expires_at);

-- Signing in, or accepting an invitation, while it is under way: what is expected of the answer. A row is deleted by the
-- statement that uses it, so that nothing can be used twice. No tenant reads or writes it.
create table sign_in_attempts (
  -- SHA-256 of the secret in the browser's cookie.
  id_hash bytea primary key,
  kind text not null,
  data jsonb not null,
  expires_at timestamptz not null
);

create index sign_in_attempts_expiry on sign_in_attempts (expires_at);

grant select, insert, update, delete on sign_in_providers, people, person_roles, passkeys, person_sessions to parley_tenant;

alter table sign_in_providers enable row level security;
alter table people enable row level security;
alter table person_roles enable row level security;
alter table passkeys enable row level security;
alter table person_sessions enable row level security;
create policy tenant on sign_in_providers to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on people to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on person_roles to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on passkeys to parley_tenant using (organization_id = (select current_organization()));
create policy tenant on person_sessions to parley_tenant using (organization_id = (select current_organization()));
