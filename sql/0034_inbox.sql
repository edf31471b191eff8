-- usable from: 0026
-- Facts of a conversation, all unknown for those from before: the page on which it began, as the visitor's browser tells
-- it, the language of the questions, and the milliseconds from a message to the first word of its reply, one number for
-- each of the first replies that were streamed.
alter table sessions add column page jsonb, add column language text, add column first_words integer[];
