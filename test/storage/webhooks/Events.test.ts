import { expect, test } from "bun:test"
import { Effect, Schema } from "effect"
import { WebhookEventType } from "../../../src/domain/webhook/WebhookEvent.ts"
import { decodeRows } from "../../../src/storage/Rows.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { layer } from "../../lib/TestDatabase.ts"

const decodeFunctions = decodeRows(Schema.Struct({ name: Schema.String, source: Schema.String, triggers: Schema.Int }))

/** The functions that change who answers in a conversation, by the event that they store. */
const ownerChanges: Readonly<Record<string, ReadonlyArray<string>>> = {
  "conversation.handover": ["hand_over"],
  "conversation.assigned": ["assign_conversation", "hand_over"],
  "conversation.returned": ["hand_back"],
}

test("each type of event is stored by a trigger, or by the functions that change an owner or count a chat", async () => {
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
    const changes = ownerChanges[type]
    if (changes !== undefined) {
      expect(
        stored(type)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual([...changes])
      continue
    }
    const [one, ...more] = stored(type)
    expect(more).toEqual([])
    if (type === "budget.spent") expect(one?.name).toBe("announce_budget")
    else expect(one?.triggers ?? 0).toBeGreaterThan(0)
  }
})
