import { afterAll, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { IdentitySecretId } from "../../../src/domain/widget/IdentitySecret.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { IdentitySecrets } from "../../../src/storage/widget/IdentitySecrets.ts"
import { keyOf, withKeys } from "../../lib/Keys.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const [old, current] = [keyOf(1), keyOf(2)]
type Tenant = Effect.Success<typeof makeTenant>

const add = ({ chatbot, organization }: Tenant, secret: string) =>
  Effect.gen(function* () {
    const id = IdentitySecretId.make(yield* newId)
    const secrets = yield* IdentitySecrets
    yield* as(organization)(secrets.insert(chatbot, id, Redacted.make(secret)))
  })
const open = ({ chatbot, organization }: Tenant) =>
  IdentitySecrets.use((secrets) => as(organization)(secrets.open(chatbot))).pipe(
    Effect.map((opened) => Array.from(opened.values(), Redacted.value).toSorted()),
  )
const sealAll = IdentitySecrets.use((secrets) => secrets.sealAll)
const dump = SystemSql.use((sql) => sql<{ row: string }>`select to_jsonb(t)::text as row from identity_secrets t`).pipe(
  Effect.map((rows) => rows.map(({ row }) => row).join("\n")),
)

it("identity secrets are encrypted once there is a key, and anew once there is another one", function* () {
  const tenant = yield* makeTenant
  yield* withKeys()(add(tenant, "first s3cr3t"))
  expect(yield* dump).toContain("first s3cr3t")
  expect(yield* withKeys()(sealAll)).toBe(0)
  yield* withKeys(old)(add(tenant, "second s3cr3t"))
  const both = ["first s3cr3t", "second s3cr3t"]
  expect(yield* withKeys(old)(open(tenant))).toEqual(both)
  expect(yield* withKeys(old)(sealAll)).toBe(1)
  expect(yield* dump).not.toContain("s3cr3t")
  // One that cannot be read is left as it is, and neither used nor lost.
  expect(yield* withKeys(current)(sealAll)).toBe(0)
  expect(yield* withKeys(current)(open(tenant))).toEqual([])
  expect(yield* withKeys(current, old)(sealAll)).toBe(2)
  expect(yield* withKeys(current)(open(tenant))).toEqual(both)
})

it("an encrypted identity secret is readable only in its own place", function* () {
  const [owner, thief] = yield* Effect.all([makeTenant, makeTenant])
  yield* withKeys(current)(add(owner, "s3cr3t"))
  yield* SystemSql.use(
    (sql) => sql`
      update identity_secrets set organization_id = ${thief.organization}, chatbot_id = ${thief.chatbot}
      where chatbot_id = ${owner.chatbot}`,
  )
  expect(yield* withKeys(current)(open(thief))).toEqual([])
  expect(yield* withKeys(current)(open(owner))).toEqual([])
})
