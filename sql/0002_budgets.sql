-- usable from: 0001
-- Functions of databases from before functions had files of their own, which nothing calls any more. `take_turn` is the
-- one function of all queues.
drop trigger if exists take_source_turn on source_queue;
drop trigger if exists take_test_turn on test_queue;
drop trigger if exists take_mail_turn on mail_queue;
drop function if exists take_source_turn, take_test_turn, take_mail_turn, matching_chunks;

-- The end of each chat with a budget asks whether anybody wants to know that it is spent; an organization may have
-- thousands of webhooks for other events.
create index concurrently webhooks_budget on webhooks (organization_id) where active and 'budget.spent' = any (events);
