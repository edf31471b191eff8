import { join } from "node:path"
import { afterAll, describe, expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { S3Bounds } from "../../src/blobs/s3/S3Settings.ts"
import { Client, problem, until } from "../lib/Client.ts"
import { type FakeS3, settingsOf, startFakeS3 } from "../lib/FakeS3.ts"
import { rawRequest } from "../lib/RawRequest.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { operatorKey, serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

const fake = await startFakeS3()
afterAll(() => fake.stop())
const run = scopedRun()
/** A patience that tests need not wait for long, and a time limit that a busy machine does not reach. */
const bounds = Context.make(S3Bounds, { timeout: "50 seconds", patience: "200 millis" })

const environment = ({ accessKeyId, bucket, secretAccessKey }: FakeS3) => ({
  BLOBS: "s3",
  S3_ENDPOINT: settingsOf(fake).endpoint,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

describe("a server whose files are in S3", () => {
  test("keeps its promises while S3 is gone: it refuses uploads early, searches, and ingests once S3 is back", async () => {
    const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...environment(fake) }
    let server = await run(serverProcess(settings, [], bounds))
    const client = new Client(await server.listening, operatorKey)
    const { id } = await client.newChatbot()
    const [first] = await client.learn(id, { "ship.txt": "The ship sails at noon." })
    expect(Array.from(fake.objects.keys(), (key) => key.split("/")[0])).toEqual(["stores", "documents"])

    // The file is stored before S3 goes, and read after it has gone.
    fake.misbehave = ({ method }) => (method === "GET" ? new Promise(() => {}) : undefined)
    const waiting = await client.upload(id, { "train.txt": "The train leaves at seven." }, { prefer: "wait=0" })
    expect(waiting.status).toBe(202)
    await fake.stop()
    const gone = await until(
      () => client.upload(id, { "new.txt": "New." }),
      ({ headers }) => headers.get("retry-after") === "3",
    )
    expect(problem(gone, 503, "unavailable").detail).toBe("Files cannot be stored or read right now.")
    // Once S3 is known to be gone, an upload is refused before its body has arrived.
    await until(
      async () => {
        const early = rawRequest(
          client.url,
          "POST /api/embedfiles",
          { "x-api-key": operatorKey, "content-type": "multipart/form-data; boundary=x", "content-length": "1000000" },
          "--x\r\n",
        )
        const answer = await Promise.race([early.answer, Bun.sleep(500).then(() => "")])
        early.socket.destroy()
        return answer
      },
      (answer) => answer.startsWith("HTTP/1.1 503"),
    )
    expect(await client.found(id, "When does the ship sail?")).toHaveLength(1)
    expect((await client.get("/readyz")).status).toBe(200)
    server.kill("SIGKILL")
    await server.exited

    // A server that starts without S3 works but for its files.
    server = await run(serverProcess(settings, [], bounds))
    const again = new Client(await server.listening, operatorKey)
    expect(await again.found(id, "When does the ship sail?")).toHaveLength(1)
    expect((await again.documents(id)).map(({ status }) => status)).not.toContain("failed")
    fake.misbehave = undefined
    await fake.start()
    await until(
      () => again.documents(id),
      (documents) => documents.length === 2 && documents.every(({ status }) => status === "ready"),
    )
    expect((await again.delete(`/api/external/chatbot/${id}/knowledge-base/documents/${first?.id}`)).status).toBe(200)
    expect(Array.from(fake.objects.keys()).filter((key) => key.startsWith("documents/"))).toHaveLength(1)
  }, 180_000)

  test("gives up a document whose file is damaged for good, and a backup names that file and has it as it is", async () => {
    const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...environment(fake) }
    const server = await run(serverProcess(settings, [], bounds))
    const client = new Client(await server.listening, operatorKey)
    const { id } = await client.newChatbot()
    fake.objects.clear()
    fake.misbehave = ({ method }) => (method === "GET" ? new Response("", { status: 503 }) : undefined)
    await client.upload(id, { "ship.txt": "The ship sails at noon." }, { prefer: "wait=0" })
    const [key, object] = Array.from(fake.objects).find(([key]) => key.startsWith("documents/")) ?? ["", undefined]
    if (object === undefined) return expect.unreachable()
    fake.objects.set(key, { ...object, bytes: new TextEncoder().encode("The ship sails at five.") })
    fake.misbehave = undefined
    const [document] = await until(
      () => client.documents(id),
      ([document]) => document?.status === "failed",
    )
    expect(document?.error?.code).toBe("file_damaged")

    const directory = join(await run(temporaryDirectory("backup")), "backup")
    const command = async (...words: ReadonlyArray<string>) => {
      const { exited, stderr, stdout } = await run(serverProcess(settings, words, bounds))
      return { code: await exited, out: stdout(), error: stderr() }
    }
    const backup = await command("backup", directory)
    expect({ code: backup.code, error: backup.error }).toEqual({ code: 0, error: "" })
    expect(backup.out).toContain(`The stored file ${key} is not what was uploaded; it is in the backup as it is.`)
    expect((await command("verify-backup", directory)).code).toBe(0)
    // Out of reach is something else: the command says of which file, and can be run again.
    fake.misbehave = ({ key: asked, method }) =>
      method === "GET" && asked === key ? new Response("", { status: 503 }) : undefined
    const failed = await command("backup", `${directory}-2`)
    expect(failed.error).toContain(`The stored file ${key} cannot be copied. Files cannot be stored or read right now.`)
    fake.misbehave = undefined
  }, 180_000)

  test("does not start with credentials that S3 refuses, and says so in one line", async () => {
    const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...environment(fake), S3_BUCKET: "none" }
    const server = await run(serverProcess(settings, [], bounds))
    expect(await server.exited).toBe(1)
    expect(server.stderr()).toContain("There is no bucket none at")
  })
})
