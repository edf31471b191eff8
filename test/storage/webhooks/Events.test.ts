import { expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import { WebhookEventType } from "../../../src/domain/webhook/WebhookEvent.ts"
import { decodeRows } from "../../../src/storage/Rows.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { layer } from "../../lib/TestDatabase.ts"

const decodeFunctions = decodeRows(Schema.Struct({ name: Schema.String, source: Schema.String, triggers: Schema.Int }))

/** The files whose statements store an event, where no trigger does. */
const statements: Partial<Record<WebhookEventType, string>> = {
  "budget.spent": "usage/Budgets.ts",
  "conversation.assigned": "conversations/Handovers.ts",
  "conversation.handover": "conversations/Handovers.ts",
  "conversation.returned": "conversations/Handovers.ts",
}

test("each type of event is stored by a trigger, or by the statements that change an owner or count a chat", async () => {
  const functions = await Effect.runPromise(
    SystemSql.use((sql) =>
      decodeFunctions(sql`
        select proname as name, prosrc as source,
          (select count(*)::int from pg_trigger where tgfoid = p.oid and not tgisinternal) as triggers
        from pg_proc p where pronamespace = 'public'::regnamespace and prosrc like '%announce_event(%'`),
    ).pipe(Effect.provide(layer)),
  )
  const stored = (type: string) => functions.filter(({ source }) => source.includes(`'${type}'`))
  for (const type of WebhookEventType.literals) {
    const file = statements[type]
    if (file !== undefined) {
      expect(stored(type)).toEqual([])
      expect(await Bun.file(`src/storage/${file}`).text()).toContain(`'${type}'`)
      continue
    }
    const [one, ...more] = stored(type)
    expect(more).toEqual([])
    expect(one?.triggers ?? 0).toBeGreaterThan(0)
  }
})
