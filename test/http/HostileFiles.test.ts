import { describe, expect, test } from "bun:test"
import { Context } from "effect"
import { WallClockFactor } from "../../src/readers/process/Watch.ts"
import { ManyDocuments, problem, read, type Reply, until } from "../lib/Client.ts"
import type { HostileFile } from "../lib/files/Fates.ts"
import { hostileFiles, hostileNames } from "../lib/files/HostileFiles.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * A few malicious files of each fate, uploaded together with a harmless one. How all of them are read is in
 * `test/readers/extract/HostileFiles.deep.test.ts`.
 */
const { client, stored } = await startServer(
  // The file that would take for ever takes this long; every other file, and the start of a process, a fraction of it.
  { EXTRACT_TIMEOUT: "2s" },
  // On a busy machine the processes, which have the lowest priority, may wait much longer than they work.
  Context.make(WallClockFactor, 1_000),
)

/** Refused, empty, damaged, protected, unreadable, too large, too deep, without end, and harmless by their content. */
const few = [
  "document.pdf",
  "empty.docx",
  "cut at 60.xlsx",
  "locked.pdf",
  "scan.pdf",
  "repeats everything.odt",
  "lies about its size.docx",
  "deep.html",
  "forms in forms.pdf",
  "external entity.docx",
  "macros inside.docx",
  "prototype.json",
].map((name) => hostileFiles.find((file) => file.name === name) ?? name)

const sibling = (name: string) => `# Beside ${name}\n\nThe heron breeds beside the mill, number ${Bun.hash(name)}.`

const upload = async ({ name, make }: HostileFile) => {
  const { id } = await client.newChatbot()
  const reply = await client.upload(id, { [name]: make(), "sibling.md": sibling(name) }, { prefer: "wait=60" })
  return { id, reply }
}

/**
 * The documents of an upload once all have ended. On a busy machine the processes that read them, which have the lowest
 * priority, may take longer than a request waits.
 */
const endedOf = (id: string, reply: Reply) =>
  Promise.all(
    read(ManyDocuments, reply).documents.map((document) =>
      until(
        () => client.document(id, document.id),
        ({ status }) => status === "ready" || status === "failed",
      ),
    ),
  )

describe("a hostile file ends as expected, and affects no other file", () => {
  test.each(few.map((file) => [typeof file === "string" ? file : file.name, file] as const))("%s", async (_, file) => {
    if (typeof file === "string") throw new Error("There is no such hostile file.")
    const { id, reply } = await upload(file)
    if (file.fate.status === 415) {
      expect(problem(reply, 415, "unsupported_media_type").detail).toStartWith(file.name)
      return expect(await client.documents(id)).toEqual([])
    }
    expect(reply.status).toBeOneOf([200, 202])
    const [hostile, good] = await endedOf(id, reply)
    expect({ name: file.name, status: hostile?.status }).toEqual({ name: file.name, status: file.fate.status })
    if (file.fate.status === "failed") {
      expect(file.fate.codes).toContain(hostile?.error?.code ?? "none")
      expect(hostile?.error?.message).toMatch(/^[A-Z].*\.$/s)
    } else {
      expect(hostile?.error).toBeNull()
    }
    expect(good).toMatchObject({ status: "ready", error: null })
    expect((await client.found(id, "heron mill")).join()).toContain("The heron breeds beside the mill")
    expect((await client.get("/healthz")).status).toBe(200)
  })
})

describe("a hostile file name is shown and has no other effect", () => {
  test.each(hostileNames.map((file) => [JSON.stringify(file.name), file] as const))("%s", async (_, file) => {
    const { id, reply } = await upload(file)
    // A name that makes the form malformed is refused.
    if (reply.status === 400) return problem(reply, 400, "invalid_request")
    if (reply.status === 415) return problem(reply, 415, "unsupported_media_type")
    const [hostile] = await endedOf(id, reply)
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
