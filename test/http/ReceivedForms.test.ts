import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import { Clock, type Duration, Effect, FileSystem, Layer, PlatformError, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { ReceivedForms } from "../../src/http/ReceivedForms.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { type Client, problem, until } from "../lib/Client.ts"
import { Health } from "../../src/services/system/Health.ts"
import { platform, unlimitedShares } from "../lib/Layers.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { BodyTimeout } from "../../src/http/edge/RequestBody.ts"
import { startServer } from "../lib/TestServer.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { part, received } from "../lib/ReceivedFiles.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { asCaller } from "../lib/Tenants.ts"

/** For what needs neither a process nor a directory of its own. */
const { client } = await startServer({ UPLOAD_FILE_LIMIT: "1MiB" })

const run = scopedRun()

/** Forms that have to bring something each second. */
const hurriedForms = (directory: string) =>
  Layer.provide(ReceivedForms.layer({ directory }), Layer.succeed(BodyTimeout, "1 second"))

const storingFiles = Layer.mock(Health, { files: Effect.void })

const buildForms = (directory: string, isAlone: boolean) =>
  Layer.build(
    Layer.provide(hurriedForms(directory), [platform, unlimitedShares, storingFiles, databaseTraits({ isAlone })]),
  )

describe("an upload", () => {
  /** Begins to receive a form with a file, by a clock that the test drives. */
  const begin = async () => {
    const directory = await run(temporaryDirectory("uploads"))
    const clock = await run(TestClock.make())
    const forms = await run(Effect.provideService(buildForms(directory, true), Clock.Clock, clock))
    let bytes: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (bytes = controller) })
    const headers = { "content-type": "multipart/form-data; boundary=x" }
    const request = HttpServerRequest.fromWeb(new Request("http://parley/", { method: "POST", headers, body }))
    const form = Schema.Struct({ chatbotId: Schema.String })
    const limits = { fileSize: 1024 * 1024, files: 1 }
    const answer = run(
      ReceivedForms.use((received) => received.receive(form, request.multipartStream, limits)).pipe(
        Effect.provideContext(forms),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        asCaller(OrganizationId.make("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b")),
        Effect.provideService(Clock.Clock, clock),
        Effect.catchTag("RequestTimeout", ({ detail }) => Effect.succeed(detail)),
      ),
    )
    let isAnswered = false
    void answer.finally(() => (isAnswered = true)).catch(() => {})
    const send = (text: string) => bytes?.enqueue(Buffer.from(text))
    send(`${part('name="chatbotId"', "a-chatbot")}\r\n${part('name="files"; filename="half.txt"', "")}`)
    let sent = 0
    return {
      answer,
      isAnswered: () => isAnswered,
      /** Sends some of the file, and waits until it is received, or until nothing more of it will be. */
      send: async (text: string) => {
        send(text)
        sent += text.length
        // The parser keeps back what may be the beginning of a boundary.
        await until(
          () => received(directory).map((path) => statSync(path).size),
          ([size = 0]) => isAnswered || size >= sent - 10,
        )
      },
      end: () => {
        send("\r\n--x--\r\n")
        bytes?.close()
      },
      wait: (time: Duration.Input) => run(clock.adjust(time)),
    }
  }

  test("is refused when nothing more arrives, and when it arrives a byte at a time", async () => {
    const silent = await begin()
    await silent.send("a".repeat(500_000))
    await silent.wait("2 seconds")
    expect(await silent.answer).toContain("less than 4096 bytes of it arrived within 1 seconds")

    const dripping = await begin()
    await dripping.send("a".repeat(500_000))
    for (let looks = 0; looks < 20 && !dripping.isAnswered(); looks++) {
      await dripping.send("a")
      await dripping.wait("100 millis")
    }
    expect(await dripping.answer).toContain("less than 4096 bytes")
  })

  test("goes on for longer than the time-out at a slow pace", async () => {
    const slow = await begin()
    for (let piece = 0; piece < 30; piece++) {
      await slow.send("The tide turns at noon. ".repeat(20))
      await slow.wait("100 millis")
    }
    slow.end()
    expect(await slow.answer).toEqual({ chatbotId: "a-chatbot" })
  })
})

describe("the directory of uploads", () => {
  const build = (directory: string, isAlone: boolean) => run(buildForms(directory, isAlone))
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
    await until(() => existsSync(directory), true)
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
