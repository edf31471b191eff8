-- usable from: 0002
-- The tests of a chatbot are queued by what changes it, see storage/evaluation/TestTriggers.ts, no more by triggers.
-- `queue_tests` and `queue_planned_tests` stay: servers of before call them when a run ends. Databases from before functions
-- had files of their own also have functions that nothing calls any more.
drop trigger if exists queue_tests on chatbots;
drop trigger if exists queue_new_tests on tests;
drop trigger if exists queue_changed_tests on tests;
drop trigger if exists queue_planned_tests on test_plans;
drop function if exists queue_tests_of_chatbot, queue_changed_tests, queue_tests_of_plan, hand_over, hand_back,
  assign_conversation, may_answer, person_in_turn, person_named, release_chat, announce_budget;
