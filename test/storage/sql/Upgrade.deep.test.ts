import { afterAll, expect } from "bun:test"
import { Duration, Layer, ManagedRuntime } from "effect"
import { migrationsDirectory, readMigrations } from "../../../src/storage/MigrationFiles.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { migrate } from "../../../src/storage/sql/Migrations.ts"
import { json } from "../../../src/storage/sql/SqlValues.ts"
import { SourceQueue } from "../../../src/storage/sources/SourceQueue.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/*
 * The upgrade of databases that older versions have made.
 */

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const it = effectTests(runtime.runPromise)
afterAll(() => runtime.dispose())

const organization = "00000000-0000-7000-8000-000000000001"
const chatbot = "00000000-0000-7000-8000-000000000002"
const config = { urls: [], include: [], exclude: [], depth: 10, max_pages: 10, text: null }
const source = "00000000-0000-7000-8000-000000000003"

it("a database from before functions had files goes on with its rows, and without what nothing calls any more", function* () {
  const sql = yield* SystemSql
  const [first, ...others] = yield* readMigrations(migrationsDirectory)
  if (first?.folds === undefined) throw new Error("The first migration folds none.")
  // As such a database has it: 46 migrations, and functions of each queue.
  yield* sql`drop table parley_functions, conversation_days, folded_days cascade`
  yield* sql`delete from parley_migrations`
  yield* sql`insert into parley_migrations (number, name, checksum, usable_from)
    select number, case number when 46 then ${first.folds.name} else 'earlier' end,
      case number when 46 then ${first.folds.checksum} else '' end, 26
    from generate_series(1, 46) number`
  yield* sql`drop trigger take_turn on source_queue`
  yield* sql.unsafe(`create function take_source_turn() returns trigger language plpgsql as
    $$ begin new.turn := 7; return new; end $$`)
  yield* sql`create trigger take_source_turn before insert on source_queue
    for each row execute function take_source_turn()`
  yield* sql`insert into organizations (id, name) values (${organization}, 'Old')`
  yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
    settings, chat_widget_config) values (${chatbot}, ${organization}, 'Old', '', 'old', false, '{}', '{}', '{}')`
  yield* sql`insert into sources (id, organization_id, chatbot_id, kind, name, config)
    values (${source}, ${organization}, ${chatbot}, 'website', 'Old', ${json(config)})`
  yield* sql`insert into source_queue (source_id, organization_id) values (${source}, ${organization})`

  yield* migrate(sql, migrationsDirectory)

  expect(yield* sql`select number, name, checksum from parley_migrations order by number`).toEqual(
    [first, ...others].map(({ checksum, name, number }) => ({ number, name, checksum })),
  )
  expect(yield* sql`select proname::text from pg_proc where proname like 'take%turn'`).toEqual([
    { proname: "take_turn" },
  ])
  const lease = { id: crypto.randomUUID(), duration: Duration.minutes(1) }
  expect(yield* SourceQueue.use(({ claim }) => claim(lease))).toMatchObject({ source_id: source })
  yield* sql`delete from source_queue`
  yield* sql`insert into source_queue (source_id, organization_id) values (${source}, ${organization})`
  // After the turn that is being served.
  expect(yield* sql`select turn::int from source_queue`).toEqual([{ turn: 7 }])
})
