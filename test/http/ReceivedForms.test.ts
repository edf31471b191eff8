import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import { Clock, Context, Effect, FileSystem, Layer, PlatformError } from "effect"
import { TestClock } from "effect/testing"
import { ReceivedForms } from "../../src/http/ReceivedForms.ts"
import { Client, problem, until } from "../lib/Client.ts"
import { Health } from "../../src/services/system/Health.ts"
import { platform, unlimitedShares } from "../lib/Layers.ts"
import { rawRequest, type RawRequest } from "../lib/RawRequest.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "../lib/ServerProcess.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { BodyTimeout } from "../../src/http/edge/RequestBody.ts"
import { startServer } from "../lib/TestServer.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/** For what needs neither a process nor a directory of its own. */
const { client } = await startServer({ UPLOAD_FILE_LIMIT: "1MiB" })

const run = scopedRun()

/** Forms that have to bring something each second. */
const hurriedForms = (directory: string) =>
  Layer.provide(ReceivedForms.layer({ directory }), Layer.succeed(BodyTimeout, "1 second"))

const start = async (settings: Settings, constants?: Context.Context<never>) => {
  const server = await run(serverProcess(settings, [], constants))
  return { server, client: new Client(await server.listening, operatorKey) }
}

const started = async (constants?: Context.Context<never>) => {
  const temporary = await run(temporaryDirectory("temporary"))
  const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), TMPDIR: temporary }
  const { client, server } = await start(settings, constants)
  const { id } = await client.newChatbot()
  return { client, id, server, settings, temporary, uploads: join(settings.DATA_DIR, "uploads") }
}

/** The uploaded files below a directory. */
const received = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => join(parentPath, name))
    : []

const part = (disposition: string, content: string) =>
  `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}`

/** Begins an upload of a megabyte and sends half of it. */
const halfUploaded = async (url: string, id: string): Promise<RawRequest> => {
  const begun = rawRequest(
    url,
    "POST /api/embedfiles",
    { "x-api-key": operatorKey, "content-type": "multipart/form-data; boundary=x", "content-length": "1000000" },
    `${part('name="chatbotId"', id)}\r\n${part('name="files"; filename="half.txt"', "Half of it. ")}`,
  )
  await begun.send("a".repeat(500_000))
  return begun
}

describe("a file that is being received", () => {
  test("is below the data directory, readable by the server only, and deleted at once when its client disconnects", async () => {
    const { client, id, temporary, uploads } = await started()
    const begun = await halfUploaded(client.url, id)
    const [file = ""] = await until(
      () => received(uploads),
      ([path]) => path !== undefined && statSync(path).size > 100_000,
    )
    expect(statSync(uploads).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(received(temporary).filter((path) => path.includes("half"))).toEqual([])
    begun.socket.destroy()
    await until(
      () => received(uploads),
      (files) => files.length === 0,
    )
    // A complete upload leaves no file either.
    await client.learn(id, { "whole.txt": "The tide turns at noon." })
    await until(
      () => received(uploads),
      (files) => files.length === 0,
    )
  })

  test("is refused when nothing more arrives, and so is JSON", async () => {
    const { client, id, uploads } = await started(Context.make(BodyTimeout, "500 millis"))
    const begun = await halfUploaded(client.url, id)
    expect(await begun.answer).toStartWith("HTTP/1.1 408 ")
    await begun.closed
    await until(
      () => received(uploads),
      (files) => files.length === 0,
    )
    for (const path of ["/api/external/chatbots", "/mcp", "/v1/chat/completions"]) {
      const json = rawRequest(
        client.url,
        `POST ${path}`,
        { "x-api-key": operatorKey, "content-type": "application/json", "content-length": "1000" },
        '{"name":',
      )
      expect(await json.answer).toStartWith("HTTP/1.1 408 ")
      await json.closed
    }
    expect((await client.get("/healthz")).status).toBe(200)
  })

  test("is refused when it arrives a byte at a time, and goes on for longer than the time-out at a slow pace", async () => {
    const { client, id } = await started(Context.make(BodyTimeout, "1 second"))
    const dripping = await halfUploaded(client.url, id)
    let isAnswered = false
    const answer = dripping.answer.finally(() => (isAnswered = true))
    while (!isAnswered) {
      await dripping.send("a").catch(() => {})
      await Bun.sleep(100)
    }
    expect(await answer).toStartWith("HTTP/1.1 408 ")

    const slow = rawRequest(
      client.url,
      "POST /api/embedfiles",
      { "x-api-key": operatorKey, "content-type": "multipart/form-data; boundary=x", "transfer-encoding": "chunked" },
      "",
    )
    const send = (text: string) => slow.send(`${text.length.toString(16)}\r\n${text}\r\n`)
    await send(`${part('name="chatbotId"', id)}\r\n${part('name="files"; filename="slow.txt"', "The tide. ")}`)
    for (let piece = 0; piece < 20; piece++) {
      await send("The tide turns at noon. ".repeat(100))
      await Bun.sleep(100)
    }
    await send("\r\n--x--\r\n")
    await slow.send("0\r\n\r\n")
    expect(await slow.answer).toStartWith("HTTP/1.1 200 ")
  })

  test("is deleted at the next start when the server was killed", async () => {
    const { client, id, server, settings, uploads } = await started()
    await halfUploaded(client.url, id)
    await until(
      () => received(uploads),
      (files) => files.length > 0,
    )
    server.kill("SIGKILL")
    await server.exited
    expect(received(uploads)).toHaveLength(1)
    // Where other processes may share the directory, abandoned files are recognized by their age.
    for (const name of readdirSync(uploads)) utimesSync(join(uploads, name), 0, 0)
    await start(settings)
    expect(received(uploads)).toEqual([])
  })
})

describe("the directory of uploads", () => {
  const storingFiles = Layer.mock(Health, { files: Effect.void })
  const build = (directory: string, isAlone: boolean) =>
    run(
      Layer.build(
        Layer.provide(hurriedForms(directory), [platform, unlimitedShares, storingFiles, databaseTraits({ isAlone })]),
      ),
    )
  const leave = (directory: string, process: string, seconds: number) => {
    mkdirSync(join(directory, process, "request"), { recursive: true })
    writeFileSync(join(directory, process, "request", "half.txt"), "Half of it.")
    const time = Date.now() / 1_000 - seconds
    utimesSync(join(directory, process), time, time)
  }

  test("is emptied by a process that has it to itself", async () => {
    const directory = await run(temporaryDirectory("uploads"))
    leave(directory, "a", 0)
    await build(directory, true)
    expect(received(directory)).toEqual([])
  })

  test("need not be there while the disk is full, so that the server starts and answers all else", async () => {
    const directory = join(await run(temporaryDirectory("uploads")), "uploads")
    const clock = await run(TestClock.make())
    const full = Effect.fail(
      PlatformError.systemError({
        _tag: "Unknown",
        module: "FileSystem",
        method: "makeDirectory",
        cause: Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }),
      }),
    )
    let isFull = true
    const filling = Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (files) => ({
        ...files,
        makeDirectory: (path, options) => Effect.suspend(() => (isFull ? full : files.makeDirectory(path, options))),
      })),
    )
    await run(
      Layer.build(
        hurriedForms(directory).pipe(
          Layer.provide([filling, unlimitedShares, storingFiles, databaseTraits({ isAlone: false })]),
          Layer.provide(platform),
        ),
      ).pipe(Effect.provideService(Clock.Clock, clock)),
    )
    expect(existsSync(directory)).toBe(false)
    isFull = false
    await run(clock.adjust("1 hour"))
    await until(
      () => existsSync(directory),
      (isThere) => isThere,
    )
  })

  test("loses only what is older than a day when processes share it", async () => {
    const directory = await run(temporaryDirectory("uploads"))
    leave(directory, "living", 23 * 3_600)
    leave(directory, "gone", 25 * 3_600)
    await build(directory, false)
    expect(received(directory)).toEqual([join(directory, "living", "request", "half.txt")])
  })
})

describe("a form", () => {
  test("with parts that are too large is refused with the name of the part and the limit in MiB", async () => {
    const { id } = await client.newChatbot()
    const large = new Uint8Array(1024 * 1024 + 1).fill(97)
    const detail = async (reply: Promise<Awaited<ReturnType<Client["send"]>>>) =>
      problem(await reply, 413, "too_large").detail
    expect(await detail(client.upload(id, { "small.txt": "a", "large.txt": large }))).toBe("large.txt: at most 1 MiB.")
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index}.txt`, `${index}`]))
    expect(await detail(client.upload(id, eleven))).toBe("files: at most 10 files in one upload.")
    const avatar = new FormData()
    avatar.set("avatar", new Blob(Array.from({ length: 10 }, () => large)), "face.png")
    expect(await detail(client.patch(`/api/external/chatbot/${id}/update-avatar`, { form: avatar }))).toBe(
      "face.png: at most 10 MiB.",
    )
    const body = JSON.stringify({ name: "a".repeat(1024 * 1024) })
    const sent = { body, headers: { "content-type": "application/json" } }
    expect(await detail(client.post("/api/external/chatbots", sent))).toBe("The body: at most 1 MiB.")
  })

  test("with a text in place of a file is refused with a message that says so", async () => {
    const { id } = await client.newChatbot()
    const form = new FormData()
    form.set("chatbotId", id)
    form.set("files", "The tide turns at noon.")
    const { detail } = problem(await client.post("/api/embedfiles", { form }), 400, "invalid_request")
    expect(detail).toBe("files: Expected a file; send it as a file part with a filename")
    const avatar = new FormData()
    avatar.set("avatar", "me.png")
    const path = `/api/external/chatbot/${id}/update-avatar`
    expect(problem(await client.patch(path, { form: avatar }), 400, "invalid_request").detail).toBe(
      "avatar: Expected a file; send it as a file part with a filename",
    )
  })

  test("with a file that the chatbot already has is answered with a summary that says so", async () => {
    const { id } = await client.newChatbot()
    await client.learn(id, { "tides.txt": "The tide turns at noon." })
    const { body } = await client.upload(id, { "again.txt": "The tide turns at noon.", "new.txt": "The ferry leaves." })
    expect(body).toMatchObject({ message: "2 files uploaded: 1 ready, 1 already there" })
  })
})
