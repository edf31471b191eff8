import { afterAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { Client, problem, until } from "../lib/Client.ts"
import { type FakeS3, settingsOf, startFakeS3 } from "../lib/FakeS3.ts"
import { rawRequest } from "../lib/RawRequest.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { operatorKey, serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { fresh } from "../lib/TestDatabase.ts"

const fake = await startFakeS3()
afterAll(() => fake.stop())
const run = scopedRun()

const environment = ({ accessKeyId, bucket, secretAccessKey }: FakeS3) => ({
  BLOBS: "s3",
  S3_ENDPOINT: settingsOf(fake).endpoint,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
  S3_TIMEOUT: "300ms",
  S3_PATIENCE: "200ms",
})

describe("a server whose files are in S3", () => {
  test("keeps its promises while S3 is gone: it refuses uploads early, searches, and ingests once S3 is back", async () => {
    const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...environment(fake) }
    let server = await run(serverProcess(settings))
    const client = new Client(await server.listening, operatorKey)
    const { id } = await client.newChatbot()
    const [first] = await client.learn(id, { "ship.txt": "The ship sails at noon." })
    expect(fake.objects.size).toBe(1)

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
    server = await run(serverProcess(settings))
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
  }, 60_000)

  test("does not start with credentials that S3 refuses, and says so in one line", async () => {
    const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...environment(fake), S3_BUCKET: "none" }
    const server = await run(serverProcess(settings))
    expect(await server.exited).toBe(1)
    expect(server.stderr()).toContain("There is no bucket none at")
  })
})
