import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { Departure } from "../../../src/http/server/Draining.ts"
import { IngestionBounds } from "../../../src/jobs/Ingestion.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Client, ManyDocuments, read, until } from "../../lib/Client.ts"
import { fakeKey, says, usage } from "../../lib/FakeAnthropic.ts"
import { parley } from "../../lib/Parley.ts"
import { type Provider, provider } from "../../lib/Provider.ts"
import { fresh, freshDirectory, layerOf } from "../../lib/TestDatabase.ts"
import { operatorKey, type ServerProcess, serverProcess, type Settings, settingsFor } from "../../lib/ServerProcess.ts"
import { scopedRun } from "../../lib/Scoped.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(testTimeout)

const chatbots = "/api/external/chatbots"

const run = scopedRun()

const freshSettings = Effect.flatMap(fresh, settingsFor)
const launch = (settings: Settings, constants?: Context.Context<never>): Promise<ServerProcess> =>
  run(serverProcess(settings, [], constants))
const clientOf = async (server: ServerProcess) => new Client(await server.listening, operatorKey)

const claude = async () => {
  const anthropic: Provider = await run(provider)
  const settings = { ...(await run(freshSettings)), ANTHROPIC_API_KEY: fakeKey, ANTHROPIC_BASE_URL: anthropic.url }
  return { anthropic, settings }
}

/** Starts a chat whose model does not answer yet. */
const waiting = async (client: Client, anthropic: Provider) => {
  const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  await anthropic.answers(says("At last."))
  const goOn = anthropic.hold()
  const reply = client.say(id, "When?", { sessionToken: "s" })
  await until(anthropic.arrived, 1)
  return { id, reply, goOn }
}

/** The lines of a server's log. */
const logged = (server: ServerProcess) =>
  server
    .stdout()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

/** Asks until the server no longer listens. Returns what it answered, and whether it closed each connection. */
const stoppedServing = async (client: Client): Promise<ReadonlyArray<string>> => {
  const seen: Array<string> = []
  const ask = async (name: string, path: string) => {
    const { headers, status } = await client.get(path)
    seen.push(`${name} ${status}${headers.get("connection") === "close" ? " close" : ""}`)
  }
  for (;;) {
    try {
      await ask("readyz", "/readyz")
      await ask("list", chatbots)
    } catch {
      return seen
    }
    await Bun.sleep(20)
  }
}

describe("a server that receives a stop signal", () => {
  test("first reports that it is not ready, then closes its listener, and lets running chats and streams finish", async () => {
    const { anthropic, settings } = await claude()
    // So long that the clients below ask while it leaves, however busy the machine is.
    const departure = { ...Departure.defaultValue(), grace: "5 seconds" } as const
    const server = await launch(settings, Context.make(Departure, departure))
    const client = await clientOf(server)
    const { id, reply, goOn } = await waiting(client, anthropic)
    const stream = client.post(`/api/external/chatbot/${id}/chat?stream=true`, {
      json: { messages: [{ role: "user", content: "When?" }], sessionToken: "streamed" },
    })
    await until(anthropic.arrived, 2)

    server.kill("SIGTERM")
    const seen = await stoppedServing(client)
    // Load balancers can stop sending requests while the server still answers, and clients open other connections.
    expect(seen[seen.indexOf("readyz 503 close") + 1]).toBe("list 200 close")
    // Until it refuses connections, it has refused no request.
    expect(seen.filter((answer) => answer.startsWith("list") && !answer.startsWith("list 200"))).toEqual([])

    // A second signal changes nothing.
    server.kill("SIGTERM")
    goOn()
    expect((await reply).body).toMatchObject({ output: "At last." })
    const { text } = await stream
    expect(text).toContain('"delta":"At last."')
    expect(text).toContain('{"type":"finish","finishReason":"stop","messageMetadata":{"written_by":"model"}}')
    expect(await server.exited).toBe(0)
    expect(server.stderr()).toBe("")
    expect(logged(server).filter(({ message }) => message !== "request")).toMatchObject([
      { level: "info", message: "The server is stopping", reason: "SIGTERM", running_requests: expect.any(Number) },
      { level: "info", message: "Requests are drained", given_up: 0 },
      { level: "info", message: "The server has ended" },
    ])
  })

  test("interrupts a chat and ends a stream that take too long, and keeps the stored conversations", async () => {
    const { anthropic, settings } = await claude()
    const server = await launch({ ...settings, DRAIN_TIMEOUT: "100ms" })
    const client = await clientOf(server)
    await anthropic.answers({
      kind: "events",
      events: [
        { type: "message_start", message: { id: "m", type: "message", model: "claude", content: [], usage } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "As far as this" } },
      ],
      ending: "hang",
    })
    const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
    const response = await fetch(`${client.url}/api/external/chatbot/${id}/chat?stream=true`, {
      method: "POST",
      headers: { "x-api-key": operatorKey, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "When?" }], sessionToken: "streamed" }),
    })
    let text = ""
    const streamed = (async () => {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece
    })()
    await until(
      () => text,
      (read) => read.includes("As far as this"),
    )
    anthropic.hold()
    const reply = client.say(id, "When?", { sessionToken: "s" })
    await until(anthropic.arrived, 2)
    const cut = reply.then(
      ({ status }) => status,
      () => "cut off",
    )
    server.kill("SIGTERM")
    expect(await server.exited).toBe(0)
    expect(await cut).toBe(503)
    await streamed
    const types = Array.from(text.matchAll(/"type":"([a-z-]+)"/g), ([, type]) => type)
    expect(types).toEqual(["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "abort"])
    expect(text).toContain('"reason":"The server shut down before the reply was finished."')
    expect(text).toEndWith("data: [DONE]\n\n")
    expect(server.stderr()).toBe("")
    const again = await clientOf(await launch(settings))
    expect((await again.messages(id, "s")).map(({ content }) => content)).toEqual(["When?"])
    expect((await again.messages(id, "streamed")).map(({ content }) => content)).toEqual(["When?", "As far as this"])
  })
})

describe("a server that is killed", () => {
  test("processes every acknowledged document exactly once after it starts again", async () => {
    // No lease runs out: the next server finds that the one that had it is gone.
    const constants = Context.make(IngestionBounds, { ...IngestionBounds.defaultValue(), lease: "1 hour" })
    const settings = await run(freshSettings)
    const server = await launch(settings, constants)
    const client = await clientOf(server)
    const { id } = await client.newChatbot()
    const numbers = Array.from({ length: 10 }, (_, n) => n)
    const files = Object.fromEntries(
      numbers.map((n) => [
        `${n}.md`,
        `# Island ${n}\n\n${`The harbour of island${n} faces the wind.\n\n`.repeat(400)}`,
      ]),
    )
    const reply = await client.upload(id, files, { prefer: "respond-async" })
    expect(reply.status).toBe(202)
    const acknowledged = read(ManyDocuments, reply).documents
    // An unacknowledged document may exist afterwards or not, but never in part.
    const cut = client.upload(id, { "late.md": "# Late\n\nToo late." }).catch(() => undefined)
    await until(
      () => client.documents(id),
      (documents) => documents.some(({ status }) => status === "ready"),
    )
    server.kill("SIGKILL")
    expect(await server.exited).not.toBe(0)
    await cut

    const again = await clientOf(await launch(settings, constants))
    const documents = await until(
      () => again.documents(id),
      (all) => all.every(({ status }) => status === "ready" || status === "failed"),
    )
    expect(documents.filter(({ name }) => name !== "late.md").map(({ id: document }) => document)).toEqual(
      acknowledged.map(({ id: document }) => document),
    )
    expect(new Set(documents.map(({ status }) => status))).toEqual(new Set(["ready"]))
    for (const n of numbers) {
      const found = await again.found(id, `island${n} harbour`, { top_k: 50 })
      const chunks = found.filter((passage) => passage.includes(`island${n} `))
      expect(chunks).toHaveLength(documents.find(({ name }) => name === `${n}.md`)?.chunk_count ?? 0)
      expect(new Set(chunks).size).toBe(chunks.length)
    }
  })
})

test("the first start writes a key into a file for the server's user, and not into its output", async () => {
  const { BOOTSTRAP_API_KEY: _, ...settings } = await run(freshSettings)
  const file = join(settings.DATA_DIR, "first-api-key")
  // What somebody else has put there is neither followed nor kept.
  writeFileSync(join(settings.DATA_DIR, "target"), "untouched", { mode: 0o666 })
  symlinkSync(join(settings.DATA_DIR, "target"), file)
  const first = await launch({ ...settings, PROT: "4000" })
  const url = await first.listening
  expect(logged(first)).toContainEqual(
    expect.objectContaining({ level: "warn", message: "PROT is not a setting. Is PORT meant?" }),
  )
  expect(first.stdout()).toContain(`Your API key is in ${file}, `)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(settings.DATA_DIR, "target"), "utf8")).toBe("untouched")
  const key = readFileSync(file, "utf8").trim()
  // The link opens the console once, and neither it nor the key is in any output.
  const linkFile = join(settings.DATA_DIR, "first-sign-in")
  expect(statSync(linkFile).mode & 0o777).toBe(0o600)
  const [address = "", link = ""] = readFileSync(linkFile, "utf8").trim().split("#sign-in=")
  expect(address).toBe(`${url}/console`)
  expect(first.stdout()).toContain(`is in ${linkFile}.`)
  expect(first.stdout()).not.toContain(link)
  const signIn = () =>
    fetch(`${url}/api/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ link }),
    })
  expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 401])
  expect((await new Client(url, key).get(chatbots)).status).toBe(200)
  first.kill("SIGINT")
  expect(await first.exited).toBe(0)
  expect(first.stdout() + first.stderr()).not.toContain("prl_")
  rmSync(file)
  const second = await launch(settings)
  expect((await new Client(await second.listening, key).get(chatbots)).status).toBe(200)
  expect(existsSync(file)).toBe(false)
})

test("the log has a line for every request, without messages, names or keys", async () => {
  const server = await launch(await run(freshSettings))
  const client = await clientOf(server)
  const { id } = await client.newChatbot({ name: "Unspoken" })
  await client.chat(id, "A whispered question", { sessionToken: "hush" })
  const path = `/api/external/chatbot/${id}/query-knowledge`
  await client.post(`${path}?token=unheard`, { json: { query: "muted" }, headers: { "x-request-id": "the-one" } })
  server.kill("SIGTERM")
  await server.exited
  const lines = logged(server)
  expect(lines.filter((line) => line.request_id === "the-one")).toMatchObject([
    { level: "info", message: "request", method: "POST", path, status: 200, ms: expect.any(Number) },
  ])
  expect(lines.filter((line) => line.message === "request")).toHaveLength(3)
  const log = server.stdout()
  for (const secret of [operatorKey, "Unspoken", "whispered", "muted", "unheard"]) expect(log).not.toContain(secret)
})

describe("a start that cannot succeed", () => {
  const failing: ReadonlyArray<readonly [string, () => Promise<Settings>, RegExp]> = [
    ["a wrong setting", async () => ({ PORT: "http" }), /PORT.*"http".*65535/],
    [
      "a default model without its provider",
      async () => ({ ...(await emptyDirectory()), DEFAULT_MODEL: "claude-sonnet-5-5" }),
      /DEFAULT_MODEL.*"claude-sonnet-5-5".*ANTHROPIC_API_KEY/,
    ],
    ["a wrong size", async () => ({ UPLOAD_FILE_LIMIT: "25MB" }), /UPLOAD_FILE_LIMIT.*"25MB".*25MiB/],
    ["a wrong secret", async () => ({ BOOTSTRAP_API_KEY: "too-short" }), /BOOTSTRAP_API_KEY(?!.*too-short).*32/],
    ["a port in use", portInUse, /Port \d+ .*is in use\..*PORT/],
    ["a host that does not exist", async () => ({ HOST: "256.1.1.1" }), /HOST is "256.1.1.1", which is no address/],
    ["a host that is a URL", async () => ({ HOST: "http://127.0.0.1" }), /HOST is "http:.*which is no address/],
    [
      "another machine's host",
      async () => ({ HOST: "192.0.2.1" }),
      /HOST is "192.0.2.1".*not an address of this machine/,
    ],
    ["files in place of directories", fileInPlace, /directory for files, .*, cannot be written: .* a file\./],
    ["a directory in use", directoryInUse, /in use by process \d+\. .+/],
    [
      "a directory below a file",
      directoryBelowFile,
      /file.data.* cannot be written: a part of the path is a file\. .+/,
    ],
    ["a damaged lock file", damagedLock, /lock file.*damaged.*delete/],
    ["no Postgres", noPostgres, /database cannot be used(?!.*hunter2).*DATABASE_URL/],
    ["a changed migration", changedMigration, /0002_budgets.*is not what the database was given.*\. Restore .+/],
  ]
  const always = { BOOTSTRAP_API_KEY: operatorKey, PORT: "0" }
  test.each(failing)("has its reason in one line: %s", async (_, settings, line) => {
    const { code, out, usage, why } = await parley({ ...always, LOG_LEVEL: "none", ...(await settings()) }, "serve")
    expect({ code, out, usage }).toEqual({ code: 1, out: "", usage: "" })
    expect(why).toMatch(/^[^\n]+\.$/)
    expect(why).toMatch(line)
  })

  const ofProcess = failing.filter(([reason]) => reason === "a wrong setting" || reason === "a port in use")
  test.each(ofProcess)("prints its reason, and nothing else: %s", async (_, settings, line) => {
    const server = await launch({ ...always, ...(await settings()) })
    expect(await server.exited).toBe(1)
    expect(server.stderr()).toMatch(/^parley: [^\n]+\.\n$/)
    expect(server.stderr()).toMatch(line)
    expect(server.stdout()).toBe("")
  })

  const emptyDirectory = async () => ({ DATA_DIR: await run(temporaryDirectory("startup")) })

  async function portInUse() {
    const { port } = await run(
      Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })),
        (other) => Effect.promise(() => other.stop(true)),
      ),
    )
    return { ...(await emptyDirectory()), PORT: String(port) }
  }

  async function directoryInUse() {
    const settings = await run(Effect.flatMap(freshDirectory, settingsFor))
    await (
      await launch(settings)
    ).listening
    return settings
  }

  async function directoryBelowFile() {
    const { DATA_DIR } = await emptyDirectory()
    writeFileSync(join(DATA_DIR, "file"), "")
    return { DATA_DIR: join(DATA_DIR, "file", "data") }
  }

  async function fileInPlace() {
    const settings = await run(freshSettings)
    writeFileSync(join(settings.DATA_DIR, "files"), "")
    return settings
  }

  async function damagedLock() {
    const { DATA_DIR } = await emptyDirectory()
    mkdirSync(join(DATA_DIR, "database"))
    writeFileSync(join(DATA_DIR, "database", "lock"), "This is no lock file of Parley. ".repeat(40))
    return { DATA_DIR }
  }

  async function noPostgres() {
    return { ...(await emptyDirectory()), WORKERS: "1", DATABASE_URL: "postgres://parley:hunter2@127.0.0.1:1/parley" }
  }

  async function changedMigration() {
    const database = await run(fresh)
    const change = SystemSql.use((sql) => sql`update parley_migrations set checksum = 'other' where number = 2`)
    await Effect.runPromise(Effect.provide(change, layerOf(database)))
    return run(settingsFor(database))
  }
})
