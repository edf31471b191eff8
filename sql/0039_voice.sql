-- usable from: 0026
-- How far the audio of a spoken reply had come at the end of each of its clauses, see `Spoken` in domain/voice/Heard.ts;
-- null for replies that were not spoken.
alter table messages add column voice jsonb;
