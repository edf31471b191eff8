import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { ToolId } from "../../../src/domain/Ids.ts"
import { ChatbotTools } from "../../../src/storage/tools/ChatbotTools.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Secrets } from "../../../src/system/Secrets.ts"
import { secretsCheck } from "../../../src/services/doctor/Contents.ts"
import { ToolHeaders } from "../../../src/storage/tools/ToolHeaders.ts"
import { someTool } from "../../lib/FilledTenant.ts"
import { keyOf, withKeys } from "../../lib/Keys.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(SystemSql.use((sql) => sql`delete from chatbot_tools`)))

const [old, current] = [keyOf(1), keyOf(2)]
const idOf = (key: Uint8Array) => Effect.map(Secrets, ({ key: id }) => id ?? "").pipe(withKeys(key))
const secret = "Bearer s3cr3t"
const headers = { authorization: secret, "x-more": "also s3cr3t" }

type Tenant = Effect.Success<typeof makeTenant>
const add = Effect.fnUntraced(function* (tenant: Tenant, name = "tool", more: object = {}) {
  const content = { ...someTool, name, headers: Redacted.make(headers), ...more }
  const tools = yield* ChatbotTools
  return yield* as(tenant.organization)(tools.insert(ToolId.make(yield* newId), tenant.chatbot, content, 1_000))
})
const get = ({ organization, chatbot }: Tenant, id: ToolId) =>
  ChatbotTools.use((tools) => as(organization)(tools.get(chatbot, id)))
/** The decrypted headers of a tool. */
const opened = (tenant: Tenant, id: ToolId) =>
  Effect.flatMap(get(tenant, id), (row) => Effect.map(row.headers, (headers) => Redacted.value(headers)))
const unreadable = (tenant: Tenant, id: ToolId) =>
  Effect.map(Effect.flip(opened(tenant, id)), (error) => ("why" in error ? error.why : error._tag))
const dump = SystemSql.use((sql) => sql<{ row: string }>`select to_jsonb(t)::text as row from chatbot_tools t`).pipe(
  Effect.map((rows) => rows.map(({ row }) => row).join("\n")),
)
const states = ToolHeaders.use((all) => all.states)
const sealAll = ToolHeaders.use((all) => all.sealAll)

describe("headers of a tool", () => {
  it("are stored in the clear without a key, and only encrypted with one", function* () {
    const tenant = yield* makeTenant
    const open = yield* withKeys()(add(tenant))
    expect(yield* dump).toContain(secret)
    expect(yield* withKeys()(opened(tenant, open.id))).toEqual(headers)
    // A server that has got a key since can read them too.
    expect(yield* withKeys(current)(opened(tenant, open.id))).toEqual(headers)
    yield* SystemSql.use((sql) => sql`delete from chatbot_tools`)

    const sealed = yield* withKeys(current)(add(tenant))
    expect(yield* dump).toContain('"authorization": null')
    expect(yield* dump).not.toContain("s3cr3t")
    expect(sealed.header_names.toSorted()).toEqual(Object.keys(headers))
    expect(yield* withKeys(current)(opened(tenant, sealed.id))).toEqual(headers)
    expect(Bun.inspect(yield* withKeys(current)(Effect.flatMap(get(tenant, sealed.id), (row) => row.headers)))).toBe(
      "<redacted>",
    )
    expect(yield* withKeys(old)(unreadable(tenant, sealed.id))).toBe("unknown key")
    expect(yield* withKeys()(unreadable(tenant, sealed.id))).toBe("unknown key")
    // The names of the headers stay readable.
    expect((yield* withKeys()(get(tenant, sealed.id))).header_names).toEqual(sealed.header_names)
  })

  it("are encrypted when a tool is changed", function* () {
    const tenant = yield* makeTenant
    const { id } = yield* withKeys()(add(tenant))
    const change = ChatbotTools.use((tools) =>
      as(tenant.organization)(
        tools.modify(tenant.chatbot, id, (row) => Effect.map(row.headers, (headers) => ({ ...row, headers }))),
      ),
    )
    yield* withKeys(current)(change)
    expect(yield* dump).not.toContain("s3cr3t")
    expect(yield* withKeys(current)(opened(tenant, id))).toEqual(headers)
  })

  test("are not decrypted after they were changed, or copied to another tool, organization or server", () =>
    run(
      Effect.gen(function* () {
        const [tenant, other] = [yield* makeTenant, yield* makeTenant]
        const { id } = yield* add(tenant)
        const [sibling, foreign] = [yield* add(tenant, "sibling"), yield* add(other)]
        const sql = yield* SystemSql
        const copyTo = (to: ToolId) => sql`update chatbot_tools t
          set headers = f.headers, sealed_headers = f.sealed_headers, sealed_by = f.sealed_by
          from chatbot_tools f where f.id = ${id} and t.id = ${to}`
        yield* copyTo(sibling.id)
        yield* copyTo(foreign.id)
        expect(yield* unreadable(tenant, sibling.id)).toBe("changed")
        expect(yield* unreadable(other, foreign.id)).toBe("changed")
        yield* sql`update chatbot_tools set url = 'https://tools.example/elsewhere' where id = ${id}`
        expect(yield* opened(tenant, id)).toEqual(headers)
        yield* sql`update chatbot_tools set url = 'https://evil.example/' where id = ${id}`
        expect(yield* unreadable(tenant, id)).toBe("changed")
        expect(yield* states).toEqual([{ state: "sealed", key: yield* idOf(current), tools: 3 }])
      }).pipe(withKeys(current)),
    ))

  it("need no key when there are none", function* () {
    const tenant = yield* makeTenant
    const { id } = yield* withKeys(current)(add(tenant, "tool", { headers: Redacted.make({}) }))
    expect(yield* withKeys()(opened(tenant, id))).toEqual({})
    expect(yield* withKeys(current)(states)).toEqual([])
  })
})

describe("stored headers", () => {
  it("are encrypted again with the first key, if they can be read, and stay the same otherwise", function* () {
    const [tenant, other] = [yield* makeTenant, yield* makeTenant]
    const count = 120
    const open = yield* withKeys()(Effect.forEach(Array(count).keys(), (number) => add(tenant, `open${number}`)))
    const aged = yield* withKeys(old)(add(other, "aged"))
    const lost = yield* withKeys(keyOf(9))(add(other, "lost"))
    const sql = yield* SystemSql
    const broken = yield* withKeys(old)(add(other, "broken"))
    yield* sql`update chatbot_tools set sealed_headers = 'x'::bytea where id = ${broken.id}`
    const [mine, olds, losts] = [yield* idOf(current), yield* idOf(old), yield* idOf(keyOf(9))]
    const others = yield* withKeys(current, old)(states)
    expect(others).toEqual(
      expect.arrayContaining([
        { state: "open", key: null, tools: count },
        { state: "sealed", key: olds, tools: 2 },
        { state: "unknown key", key: losts, tools: 1 },
      ]),
    )

    expect(yield* withKeys()(sealAll)).toBe(0)
    expect(yield* withKeys(current, old)(sealAll)).toBe(count + 1)
    const after = yield* withKeys(current)(states)
    expect(after).toHaveLength(3)
    expect(after).toEqual(
      expect.arrayContaining([
        { state: "sealed", key: mine, tools: count + 1 },
        { state: "unknown key", key: losts, tools: 1 },
        { state: "unknown key", key: olds, tools: 1 },
      ]),
    )
    expect(yield* dump).not.toContain("s3cr3t")
    for (const [owner, id] of [
      [tenant, open[0]?.id ?? aged.id],
      [other, aged.id],
    ] as const) {
      expect(yield* withKeys(current)(opened(owner, id))).toEqual(headers)
    }
    expect((yield* withKeys(current)(get(other, aged.id))).updated_at).toEqual(aged.updated_at)
    expect(yield* withKeys(keyOf(9))(opened(other, lost.id))).toEqual(headers)
    expect(yield* withKeys(current, old)(sealAll)).toBe(0)
  })

  test("are encrypted once when several servers start at the same time", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const ids = yield* withKeys()(Effect.forEach(Array(30).keys(), (number) => add(tenant, `tool${number}`)))
        const sealed = yield* Effect.all([sealAll, sealAll, sealAll], { concurrency: 3 })
        expect(sealed.reduce((sum, one) => sum + one, 0)).toBe(30)
        for (const { id } of ids) expect(yield* opened(tenant, id)).toEqual(headers)
      }).pipe(withKeys(current)),
    ))
})

/** What the doctor of a server with these keys says of a tool's headers. */
const examined = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.map(withKeys(...keys)(secretsCheck), (findings) => findings.map(({ state, text }) => `${state}: ${text}`))

it("the headers of a tool follow the keys of the servers that start, and the doctor tells of each step", function* () {
  const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)]
  const [one, two] = [yield* idOf(first), yield* idOf(second)]
  const tenant = yield* makeTenant
  const { id } = yield* withKeys()(add(tenant))
  expect(yield* examined()).toEqual([
    "note: headers of 1 tool are stored in plain text; with SECRETS_KEY they would be encrypted",
  ])
  expect(yield* examined(first)).toEqual([
    "note: headers of 1 tool are not encrypted; a server encrypts them when it starts",
  ])

  expect(yield* withKeys(first)(sealAll)).toBe(1)
  expect(yield* dump).not.toContain("s3cr3t")
  expect(yield* withKeys(first)(opened(tenant, id))).toEqual(headers)
  expect(yield* examined(first)).toEqual([`ok: headers of 1 tool encrypted by key ${one}`])
  expect(yield* examined(second, first)).toEqual([
    `note: headers of 1 tool encrypted by key ${one}; a server that starts encrypts them by ${two}`,
  ])

  expect(yield* withKeys(second, first)(sealAll)).toBe(1)
  expect(yield* withKeys(second)(opened(tenant, id))).toEqual(headers)
  expect(yield* examined(second)).toEqual([`ok: headers of 1 tool encrypted by key ${two}`])

  const lost = [`wrong: headers of 1 tool cannot be decrypted: key ${two} is not in SECRETS_KEY`]
  for (const keys of [[third], []]) {
    expect(yield* examined(...keys)).toEqual(lost)
    expect(yield* withKeys(...keys)(unreadable(tenant, id))).toBe("unknown key")
    expect(yield* withKeys(...keys)(sealAll)).toBe(0)
  }
  expect(yield* withKeys(second)(opened(tenant, id))).toEqual(headers)
})
