import { cpSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer, Redacted } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { Restore } from "../../src/backup/Restore.ts"
import { COMMAND_LINE } from "../../src/domain/Caller.ts"
import type { OrganizationId } from "../../src/domain/Ids.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { tableRules } from "../../src/storage/backup/Tables.ts"
import { ChatbotTools } from "../../src/storage/tools/ChatbotTools.ts"
import { forgeFile, forgeManifest, manifestIn, placeOf, storeDocuments } from "../lib/Backups.ts"
import { makeFilledTenant, tablesWithOrganization } from "../lib/FilledTenant.ts"
import { BlobControl, quiet } from "../lib/Layers.ts"
import { as } from "../lib/Tenants.ts"
import { fresh, type TestDatabase } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

setDefaultTimeout(testTimeout)

const run = sharedRun()

const keys = Redacted.make([new Uint8Array(32).fill(7)])
const at = (database: TestDatabase) => Effect.provide(Layer.merge(placeOf(database, { keys }), quiet))

/** The number of rows that an organization has in every table. */
const rowsOf = (organization: OrganizationId) =>
  Effect.gen(function* () {
    const sql = yield* SystemSql
    const counts: Record<string, number> = {}
    for (const name of ["organizations", ...(yield* tablesWithOrganization)]) {
      const column = name === "organizations" ? "id" : "organization_id"
      const [row] = yield* sql<{ rows: number }>`
        select count(*)::int as rows from ${sql(name)} where ${sql(column)} = ${organization}`
      counts[name] = row?.rows ?? 0
    }
    return counts
  })

/** An organization and its neighbour, in one database, and the export of the first. */
const made = await run(
  Effect.gen(function* () {
    const database = yield* fresh
    const directory = join(yield* temporaryDirectory("export"), "one")
    const parts = yield* at(database)(
      Effect.gen(function* () {
        const [tenant, neighbour] = [yield* makeFilledTenant, yield* makeFilledTenant]
        const sql = yield* SystemSql
        yield* sql`update organizations set is_operator = true where id = ${tenant.organization}`
        yield* sql`update api_keys set scopes = '{admin,operator}' where organization_id = ${tenant.organization}`
        yield* sql`update chatbots set avatar_blob = 'avatars/01a1f949-589d-74eb-b296-3f233cb51b4b.png' where id = ${tenant.chatbot}`
        yield* storeDocuments
        ;(yield* BlobControl).blobs.set("avatars/01a1f949-589d-74eb-b296-3f233cb51b4b.png", Buffer.from("face"))
        const report = yield* Backup.use(({ run }) => run({ directory, organization: tenant.organization }))
        return { tenant, neighbour, report, rows: yield* rowsOf(tenant.organization) }
      }),
    )
    return { database, directory, ...parts, manifest: manifestIn(directory) }
  }),
)
const { directory, manifest, neighbour, tenant } = made
const exported = tableRules.filter(({ isExported }) => isExported).map(({ table }) => table)

describe("the export of an organization", () => {
  test("has its rows of every table, its files, and nothing of a neighbour", () => {
    const expected = exported.map((name): [string, number] => [name, made.rows[name] ?? 0])
    expect(manifest.tables.map(({ name, rows }) => [name, rows])).toEqual(expected)
    expect(expected.filter(([, rows]) => rows === 0)).toEqual([])
    expect(made.report).toMatchObject({ files: 4, missing: 0 })
    const text = readdirSync(join(directory, "tables"))
      .map((name) => readFileSync(join(directory, "tables", name), "utf8"))
      .join("")
    const foreign = [neighbour.organization, neighbour.chatbot, neighbour.session, neighbour.tool, neighbour.apiKeyId]
    expect(foreign.filter((id) => text.includes(id))).toEqual([])
  })
})

describe("an import", () => {
  test("adds the organization to another database, without the rights of an operator", async () => {
    const { blobs, connection, counted, found, garbage, key, rows, stored } = await run(
      Effect.flatMap(fresh, (database) =>
        at(database)(
          Effect.gen(function* () {
            yield* makeFilledTenant
            const { id } = yield* Restore.use((service) => service.importOrganization(directory, undefined))
            const sql = yield* SystemSql
            const stored = (yield* BlobControl).blobs
            const blobs = yield* sql<{ key: string }>`
              select blob_key as key from documents where organization_id = ${id}
              union select blob_key from attachments where organization_id = ${id}
              union select avatar_blob from chatbots where organization_id = ${id}`
            const [found] = yield* sql`select id, is_operator from organizations where id = ${id}`
            const [key] = yield* sql`select scopes from api_keys where organization_id = ${id} and kind = 'secret'`
            const [connection] = yield* sql`select is_trusted from model_connections where organization_id = ${id}`
            const [garbage] = yield* sql`select count(*)::int as keys from blob_garbage`
            return {
              found,
              key,
              connection,
              garbage,
              stored,
              blobs: blobs.map(({ key }) => key),
              rows: yield* rowsOf(id),
              counted: yield* sql`select documents::int, conversations::int, tools::int, chatbots::int
                from fold_holdings(${id})`,
            }
          }),
        ),
      ),
    )
    for (const name of exported) expect([name, rows[name]]).toEqual([name, made.rows[name]])
    expect(found).toEqual({ id: tenant.organization, is_operator: false })
    expect(key).toEqual({ scopes: ["admin"] })
    expect(connection).toEqual({ is_trusted: false })
    expect(garbage).toEqual({ keys: 0 })
    expect(counted).toEqual([{ documents: 2, conversations: 2, tools: 1, chatbots: 1 }])
    expect(new Set(stored.keys())).toEqual(new Set(blobs))
    expect(stored.get(blobs.find((name) => name.endsWith(".png")) ?? "")?.toString()).toBe("face")
    expect(blobs).not.toContain("avatars/01a1f949-589d-74eb-b296-3f233cb51b4b.png")
  })

  test("under a new id keeps encrypted secrets readable", async () => {
    const { headers, id, rows } = await run(
      Effect.flatMap(fresh, (database) =>
        at(database)(
          Effect.gen(function* () {
            const { id } = yield* Restore.use((service) => service.importOrganization(directory, "new"))
            const [tool] = yield* as(id)(ChatbotTools.use((tools) => tools.list(tenant.chatbot)))
            const headers = tool === undefined ? undefined : Redacted.value(yield* tool.headers)
            return { id, rows: yield* rowsOf(id), headers }
          }),
        ),
      ),
    )
    expect(id).not.toBe(tenant.organization)
    expect(rows["messages"]).toBe(made.rows["messages"])
    expect(headers).toEqual({ authorization: "secret" })
  })

  test("into a database that has some of it is refused, and changes nothing", async () => {
    const refused = await run(
      at(made.database)(
        Effect.gen(function* () {
          const before = yield* rowsOf(tenant.organization)
          const why = (wanted: "new" | undefined) =>
            Effect.flip(Restore.use((service) => service.importOrganization(directory, wanted)))
          const [same, other] = [yield* why(undefined), yield* why("new")]
          return { same, other, before, after: yield* rowsOf(tenant.organization) }
        }),
      ),
    )
    expect(refused.same.message).toMatch(
      /^The table organizations has some of these rows already: .* Nothing was written\./,
    )
    expect(refused.other.message).toMatch(/^The table chatbots has some of these rows already: /)
    expect(refused.after).toEqual(refused.before)
  })

  test("of rows that name another organization, or its files, takes nothing of that", async () => {
    const forged = join(directory, "..", "forged")
    const rows = await run(
      Effect.flatMap(fresh, (database) =>
        at(database)(
          Effect.gen(function* () {
            const victim = yield* makeFilledTenant
            yield* storeDocuments
            const { cp } = yield* Effect.promise(() => import("node:fs/promises"))
            yield* Effect.promise(() => cp(directory, forged, { recursive: true }))
            const sql = yield* SystemSql
            const [owned] = yield* sql<{ key: string }>`select blob_key as key from documents
              where organization_id = ${victim.organization} limit 1`
            // Every organization in the export is said to be the victim, and every file to be one of the victim's.
            forgeManifest(forged, (one) => ({
              ...one,
              tables: one.tables.map((table) => {
                const path = join(forged, "tables", `${table.name}.ndjson`)
                const text = readFileSync(path, "utf8")
                  .replaceAll(
                    `"organization_id":"${tenant.organization}"`,
                    `"organization_id":"${victim.organization}"`,
                  )
                  .replace(/"blob_key":"[^"]+"/, `"blob_key":"${owned?.key}"`)
                return { ...table, ...forgeFile(path, text) }
              }),
            }))
            const before = yield* rowsOf(victim.organization)
            const { id } = yield* Restore.use((service) => service.importOrganization(forged, undefined))
            const [shared] = yield* sql`select count(*)::int as documents from documents where blob_key = ${owned?.key}
              and organization_id <> ${victim.organization}`
            return { before, after: yield* rowsOf(victim.organization), own: yield* rowsOf(id), shared }
          }),
        ),
      ),
    )
    expect(rows.after).toEqual(rows.before)
    expect(rows.own["messages"]).toBe(made.rows["messages"])
    expect(rows.shared).toEqual({ documents: 0 })
  })

  test("of a key whose id is that of the operator's commands is refused", async () => {
    const forged = join(directory, "..", "commands")
    cpSync(directory, forged, { recursive: true })
    forgeManifest(forged, (one) => ({
      ...one,
      tables: one.tables.map((table) => {
        if (table.name !== "api_keys") return table
        const path = join(forged, "tables", "api_keys.ndjson")
        const text = readFileSync(path, "utf8").replaceAll(tenant.apiKeyId, COMMAND_LINE)
        return { ...table, ...forgeFile(path, text) }
      }),
    }))
    const refused = await run(
      Effect.flatMap(fresh, (database) =>
        at(database)(Effect.flip(Restore.use((service) => service.importOrganization(forged, "new")))),
      ),
    )
    expect(refused.message).toMatch(/refuses rows of the table api_keys/)
  })
})
