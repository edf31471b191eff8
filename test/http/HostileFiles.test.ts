import { describe, expect, test } from "bun:test"
import { ManyDocuments, problem, read } from "../lib/Client.ts"
import type { HostileFile } from "../lib/files/Fates.ts"
import { hostileFiles, hostileNames } from "../lib/files/HostileFiles.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * Files that nobody sends in good faith, each beside one that somebody does. The limits are lower than those that a
 * server has by itself, so that what has to reach them does so soon.
 */
const { client, stored } = await startServer({
  EXTRACT_TIMEOUT: "2s",
  EXTRACT_MEMORY: "256MiB",
  EXTRACT_TEXT_LIMIT: "3000000",
  LOG_LEVEL: "none",
})

const sibling = (name: string) => `# Beside ${name}\n\nThe heron breeds beside the mill, number ${Bun.hash(name)}.`

const upload = async ({ name, make }: HostileFile) => {
  const { id } = await client.newChatbot()
  const content = make()
  const reply = await client.upload(id, { [name]: content, "sibling.md": sibling(name) }, { prefer: "wait=60" })
  return { id, reply }
}

const alive = async () => expect((await client.get("/healthz")).status).toBe(200)

test("there are many of them, and no two alike", () => {
  const names = [...hostileFiles, ...hostileNames].map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(60)
  expect(new Set(names).size).toBe(names.length)
})

describe("a hostile file ends as it should, and harms nobody", () => {
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

describe("a hostile name is only shown", () => {
  test.each(hostileNames.map((file) => [JSON.stringify(file.name), file] as const))("%s", async (_, file) => {
    const { reply } = await upload(file)
    // A name that breaks the form itself is the client's mistake.
    if (reply.status === 400) return problem(reply, 400, "invalid_request")
    if (reply.status === 415) return problem(reply, 415, "unsupported_media_type")
    const [hostile] = read(ManyDocuments, reply).documents
    expect(hostile?.status).toBe("ready")
    expect(hostile?.name).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]/u)
    expect(hostile?.name.length).toBeLessThanOrEqual(255)
  })

  test("and what is stored is named by us", () => {
    const names = stored("documents")
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^[0-9a-f-]{36}$/)
  })
})
