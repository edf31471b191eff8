-- A deleted organization is gone for everybody at once; what it owned is deleted little by little afterwards, however much
-- that is, and whoever starts next goes on with what a crash left.
alter table organizations add column deleted_at timestamptz;

-- Whether the chatbot may still ask for the user's e-mail address: not once the user has declined, or was asked often enough.
alter table sessions add column may_ask_email boolean not null default true;
