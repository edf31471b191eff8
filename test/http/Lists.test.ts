import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Client, read } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, operator, query } = await sharedServer()

/** One more than the most items that a list has by default. */
const MANY = 1_001

/** What tells rows of a table apart beside their ids, and its value in the copy with the number `n`. */
const distinct = {
  chatbots: { column: "slug", value: "slug || '-' || n" },
  api_keys: { column: "hash", value: "'\\x' || md5(n || id::text)" },
}

/** Makes copies of a row, as many requests would, but in one statement. */
const copy = (table: keyof typeof distinct, id: string, count: number) =>
  query(
    SystemSql.use((sql) => {
      const { column, value } = distinct[table]
      return sql`insert into ${sql(table)}
        select (jsonb_populate_record(t, jsonb_build_object('id', lpad(to_hex(n), 8, '0') || substr(id::text, 9),
          ${sql.literal(`'${column}', ${value}`)}))).*
        from ${sql(table)} t, generate_series(1, ${count}::int) n where id = ${id}`
    }),
  )

const Named = Schema.Array(Schema.Struct({ id: Schema.String }))
const Page = Schema.Struct({
  chatbots: Schema.optionalKey(Named),
  api_keys: Schema.optionalKey(Named),
  data: Schema.optionalKey(Named),
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})

/** Follows `Link` from the first page of a list to its last, and checks that `next_cursor` agrees. */
const followed = async (of: Client, path: string) => {
  const first = await of.get(path)
  const { next_cursor, chatbots, api_keys, data } = read(Page, first)
  const shown = chatbots ?? api_keys ?? data ?? []
  expect(shown).toHaveLength(MANY - 1)
  const link = first.headers.get("link") ?? ""
  expect(link).toBe(`<${path}?cursor=${next_cursor}>; rel="next"`)
  const last = await of.get(link.slice(1, link.indexOf(">")))
  const rest = read(Page, last)
  expect(rest.next_cursor).toBeNull()
  expect(last.headers.get("link")).toBeNull()
  const all = [...shown, ...(rest.chatbots ?? rest.api_keys ?? rest.data ?? [])]
  return all.map(({ id }) => id)
}

describe("a list that is longer than one response continues with a cursor", () => {
  test("for chatbots, as such and as models", async () => {
    const own = await client.newOrganization()
    await copy("chatbots", (await own.newChatbot()).id, MANY - 1)
    expect(new Set(await followed(own, "/api/external/chatbots")).size).toBe(MANY)
    expect(new Set(await followed(own, "/v1/models")).size).toBe(MANY)
  })

  test("for API keys", async () => {
    const own = await client.newOrganization()
    // The organization has one key already.
    await copy("api_keys", (await own.newKey()).id, MANY - 2)
    expect(new Set(await followed(own, "/api/admin/api-keys")).size).toBe(MANY)
  })

  test("for organizations, page by page", async () => {
    const path = "/api/admin/organizations"
    await client.newOrganization()
    const first = await operator.get(`${path}?limit=1`)
    const next = read(Page, first).next_cursor
    expect(first.headers.get("link")).toBe(`<${path}?limit=1&cursor=${next}>; rel="next"`)
    const Ids = Schema.Struct({ organizations: Schema.Array(Schema.Struct({ id: Schema.String })) })
    const ids = async (query: string) =>
      read(Ids, await operator.get(`${path}?${query}`)).organizations.map(({ id }) => id)
    expect(await ids("limit=2")).toEqual([...(await ids("limit=1")), ...(await ids(`limit=1&cursor=${next}`))])
    const own = await client.newOrganization()
    expect((await own.get(`${path}?limit=1`)).body).toMatchObject({ organizations: [{}], next_cursor: null })
    expect((await own.get(`${path}?cursor=${next}`)).body).toEqual({ organizations: [], next_cursor: null })
  })
})
