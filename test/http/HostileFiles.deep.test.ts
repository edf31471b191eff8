import { describe, expect, test } from "bun:test"
import { ManyDocuments, problem, read } from "../lib/Client.ts"
import type { HostileFile } from "../lib/files/Fates.ts"
import { hostileFiles, hostileNames } from "../lib/files/HostileFiles.ts"
import { Context } from "effect"
import { TextLimit } from "../../src/knowledge/Extract.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * Malicious files, each uploaded together with a harmless one. The limits are lower than a server's defaults, so that
 * files which reach them do so soon.
 */
const { client, stored } = await startServer(
  {
    EXTRACT_TIMEOUT: "2s",
    EXTRACT_MEMORY: "256MiB",
    LOG_LEVEL: "none",
  },
  Context.make(TextLimit, 3_000_000),
)

const sibling = (name: string) => `# Beside ${name}\n\nThe heron breeds beside the mill, number ${Bun.hash(name)}.`

const upload = async ({ name, make }: HostileFile) => {
  const { id } = await client.newChatbot()
  const content = make()
  const reply = await client.upload(id, { [name]: content, "sibling.md": sibling(name) }, { prefer: "wait=60" })
  return { id, reply }
}

const alive = async () => expect((await client.get("/healthz")).status).toBe(200)

test("there are at least sixty hostile files, each with a name of its own", () => {
  const names = [...hostileFiles, ...hostileNames].map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(new Set(names).size).toBe(names.length)
})

describe("a hostile file ends as expected, and affects no other file", () => {
  test.each(hostileFiles.map((file) => [file.name, file] as const))("%s", async (_, file) => {
    const { id, reply } = await upload(file)
    if (file.fate.status === 415) {
      expect(problem(reply, 415, "unsupported_media_type").detail).toStartWith(file.name)
      expect(await client.documents(id)).toEqual([])
      return alive()
    }
    expect(reply.status).toBe(200)
    const [hostile, good] = read(ManyDocuments, reply).documents
    expect({ name: file.name, status: hostile?.status }).toEqual({ name: file.name, status: file.fate.status })
    if (file.fate.status === "failed") {
      expect(file.fate.codes).toContain(hostile?.error?.code ?? "none")
      expect(hostile?.error?.message).toMatch(/^[A-Z].*\.$/s)
    } else {
      expect(hostile?.error).toBeNull()
    }
    expect(good).toMatchObject({ status: "ready", error: null })
    expect((await client.found(id, "heron mill")).join()).toContain("The heron breeds beside the mill")
    await alive()
  })
})

describe("a hostile file name is shown and has no other effect", () => {
  test.each(hostileNames.map((file) => [JSON.stringify(file.name), file] as const))("%s", async (_, file) => {
    const { reply } = await upload(file)
    // A name that makes the form malformed is refused.
    if (reply.status === 400) return problem(reply, 400, "invalid_request")
    if (reply.status === 415) return problem(reply, 415, "unsupported_media_type")
    const [hostile] = read(ManyDocuments, reply).documents
    expect(hostile?.status).toBe("ready")
    expect(hostile?.name).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]/u)
    expect(hostile?.name.length).toBeLessThanOrEqual(255)
  })

  test("and stored files have names that the server has chosen", () => {
    const names = stored("documents")
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^[0-9a-f-]{36}$/)
  })
})
