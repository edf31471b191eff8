-- usable from: 0026
-- Each delivery to a webhook is a job of its own, in no order: whichever server has room claims the row, sends it and
-- stores the outcome. Servers of 0027 to 0044 beside newer ones send nothing meanwhile, and cannot show webhooks.

create index concurrently webhook_deliveries_next on webhook_deliveries (due_at) where state = 'waiting';
create index concurrently webhook_deliveries_of_subject on webhook_deliveries (webhook_id, subject);

drop table webhook_queue;
drop sequence webhook_clock;
drop function take_webhook_turn;
drop trigger forget_webhook on webhooks;
drop function forget_webhook;

alter table webhooks drop column dropped;

-- With `position` go the indexes of the order, and with `announced` that of what the queue did not know.
alter table webhook_deliveries drop column position, drop column announced,
  -- The attempt that is under way. While it is, `due_at` is the time from which another server may begin one.
  add column lease_id uuid;

-- What waited behind another delivery of its subject.
update webhook_deliveries set due_at = now() where state = 'waiting' and due_at is null;
-- What was dropped because too many were waiting can be sent again. Nothing can be sent of what is deleted.
delete from webhook_deliveries where state = 'dropped' and error is null;
update webhook_deliveries set state = 'failed' where state = 'dropped';
alter table webhook_deliveries drop constraint webhook_deliveries_state_check,
  add check (state in ('waiting', 'delivered', 'failed')), add check (state <> 'waiting' or due_at is not null);

create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease_id is not null;
