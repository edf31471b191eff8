import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf } from "../../domain/audit/AuditChange.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { TestPlan, testPlanDefaults } from "../../domain/evaluation/TestRun.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { decodeRows, rowOr } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { planTests } from "./TestTriggers.ts"

const PlanRow = Schema.Struct({
  // What is not stored has its default, also of fields that later versions add.
  plan: Schema.Record(Schema.String, Schema.Json),
  version: Schema.BigInt,
})
const decodePlans = decodeRows(PlanRow)
const decodePlan = Schema.decodeUnknownEffect(TestPlan)

/** The plan of a chatbot's tests, with its version: 0 until it is changed for the first time. */
export interface PlanRow {
  readonly plan: TestPlan
  readonly version: bigint
}

/** The table `test_plans`, always within the current organization. */
export class TestPlans extends Service<TestPlans>()("parley/storage/evaluation/TestPlans", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing

  const read = Effect.fnUntraced(function* (chatbot: ChatbotId, lock = sql``) {
    const row = yield* rowOr(chatbotNotFound)(
      decodePlans(sql`
        select coalesce(p.plan, '{}') as plan, coalesce(p.version, 0) as version
        from chatbots c left join test_plans p on p.chatbot_id = c.id and p.organization_id = c.organization_id
        where c.id = ${chatbot} and c.organization_id = ${yield* CurrentOrganization} ${lock}`),
    )
    const plan = yield* Effect.orDie(decodePlan({ ...testPlanDefaults, ...row.plan }))
    return { plan, version: row.version }
  })

  return {
    get: (chatbot: ChatbotId) => withoutSqlErrors(read(chatbot)),

    /** Changes the plan under the lock of its chatbot. A change that changes nothing leaves its version. */
    modify: <E>(chatbot: ChatbotId, change: (row: PlanRow) => Effect.Effect<TestPlan, E>) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const before = yield* read(chatbot, sql`for no key update of c`)
        const plan = yield* change(before)
        const audited = changeOf(before.plan, plan)
        if (audited === undefined) return before
        yield* auditing.record(sql, {
          organization,
          action: "test_plan.updated",
          target: chatbot,
          chatbot,
          ...audited,
        })
        yield* sql`
          insert into test_plans (chatbot_id, organization_id, plan) values (${chatbot}, ${organization}, ${json(plan)})
          on conflict (chatbot_id) do update
          set plan = excluded.plan, version = test_plans.version + 1, updated_at = clock_timestamp()`
        yield* planTests(sql, chatbot)
        return yield* read(chatbot)
      }).pipe(committing(sql)),
  }
}) {}
