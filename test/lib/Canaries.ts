import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { allScopes, KEY_ENTROPY_BYTES, makeKey } from "../../src/domain/keys/ApiKey.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { says, fakeKey, message } from "./FakeAnthropic.ts"
import { fakeEmbeddings, fakeEmbeddingsKey } from "./FakeEmbeddings.ts"
import { fakeOpenAiKey } from "./FakeOpenAi.ts"
import { fixturePath } from "./Fixtures.ts"
import { listening } from "./Listening.ts"
import { provider } from "./Provider.ts"
import { type ServerProcess, serverProcess, type Settings, settingsFor } from "./ServerProcess.ts"
import { fresh, layerOf, type TestDatabase } from "./TestDatabase.ts"

/*
 * Secrets and private texts that are easy to recognize, used wherever a server is given any, and a search for them in
 * everything that leaves the server or that it leaves behind.
 */

/** Where a secret or a private text can come to light. */
export type Place =
  | "log"
  | "refusals"
  | "answers to the website's key"
  | "answers to the owner's key"
  | "OpenAPI and documentation"
  | "requests to models"
  | "process arguments"
  | "environment of readers"
  | "output of commands"
  | "database"
  | "files of the data directory"

export interface Canary {
  readonly name: string
  readonly value: string
  /** Where it rightly is. */
  readonly allowed: ReadonlyArray<Place>
}

export interface Hit {
  readonly canary: string
  readonly form: string
  readonly place: Place
  /** What contains it, such as the request. */
  readonly where: string
}

export interface CanaryReport {
  readonly canaries: ReadonlyArray<Canary>
  readonly places: ReadonlyArray<{ readonly place: Place; readonly bytes: number }>
  readonly hits: ReadonlyArray<Hit>
}

interface Seen {
  readonly place: Place
  readonly where: string
  readonly bytes: Buffer
}

const word = (name: string): string => `CANARY-${name}-${crypto.randomUUID().replaceAll("-", "")}`
const key = (): string => makeKey(crypto.getRandomValues(new Uint8Array(KEY_ENTROPY_BYTES)))

/** The texts by which a value is recognized, by the name of their form. */
const formsOf = (value: string): ReadonlyArray<readonly [form: string, text: string]> => {
  const bytes = Buffer.from(value)
  // What base64 makes of a value depends on its place in the whole; the characters at both ends depend on neighbours.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "")
      .slice(before === 0 ? 0 : 4, -2),
  )
  return [
    ["plain", value],
    ["percent", encodeURIComponent(value)],
    ["reversed", Array.from(value).toReversed().join("")],
    ["hex", bytes.toString("hex")],
    ["HEX", bytes.toString("hex").toUpperCase()],
    ...base64.map((text) => ["base64", text] as const),
    ...base64.map((text) => ["base64url", text.replaceAll("+", "-").replaceAll("/", "_")] as const),
  ]
}

const search = (canaries: ReadonlyArray<Canary>, seen: ReadonlyArray<Seen>): ReadonlyArray<Hit> =>
  canaries.flatMap(({ allowed, name, value }) =>
    seen
      .filter(({ place }) => !allowed.includes(place))
      .flatMap(({ bytes, place, where }) => {
        const found = formsOf(value).find(([, text]) => bytes.includes(text))
        return found === undefined ? [] : [{ canary: name, form: found[0], place, where }]
      }),
  )

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))

const readOrNothing = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** The processes below one, which come and go. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readOrNothing(`/proc/${pid}/task/${pid}/children`)
    .toString()
    .split(" ")
    .flatMap((text) => (text === "" ? [] : [Number(text), ...childrenOf(Number(text))]))

/** Every row of every table, as JSON. */
const dump = (database: TestDatabase) =>
  Effect.provide(
    SystemSql.use((sql) =>
      Effect.gen(function* () {
        const tables = yield* sql<{ name: string }>`
          select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema')`
        return yield* Effect.forEach(tables, ({ name }) =>
          Effect.map(
            sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.literal(name)} t`,
            (rows) => [name, rows.map(({ row }) => row).join("\n")] as const,
          ),
        )
      }),
    ),
    layerOf(database),
  )

export interface CanaryOptions {
  /** The form of the server's log. */
  readonly format: "json" | "pretty"
  /** Whether to try what takes longer: commands, a long document, and failures of the provider that are tried again. */
  readonly isWhole: boolean
}

/** Uses a server in every way that meets secrets, and reports those that are found where they do not belong. */
export const canaryRun = Effect.fn("canaryRun")(function* ({
  format,
  isWhole,
}: CanaryOptions): Effect.fn.Return<CanaryReport, unknown, Scope.Scope> {
  const secretsKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")
  const values = {
    bootstrap: key(),
    unknownKey: key(),
    malformedKey: word("malformed"),
    toolToken: word("tool-token"),
    toolHeader: word("tool-header"),
    toolQuery: word("tool-query"),
    databasePassword: word("database"),
    unrelated: word("environment"),
    queryKey: word("query-string"),
    cookie: word("cookie"),
    prompt: word("prompt"),
    email: `${word("mail").toLowerCase()}@example.org`,
    sessionToken: word("session"),
    idempotencyKey: word("idempotency"),
    message: word("message"),
    invalidBody: word("invalid-body"),
    document: word("document"),
  }
  const owners: ReadonlyArray<Place> = ["answers to the owner's key", "database", "files of the data directory"]
  const canaries: Array<Canary> = [
    { name: "bootstrap key", value: values.bootstrap, allowed: [] },
    { name: "unknown key", value: values.unknownKey, allowed: [] },
    { name: "malformed key", value: values.malformedKey, allowed: [] },
    { name: "key in the query string", value: values.queryKey, allowed: [] },
    { name: "cookie", value: values.cookie, allowed: [] },
    { name: "SECRETS_KEY", value: secretsKey, allowed: [] },
    { name: "key of Anthropic", value: fakeKey, allowed: [] },
    { name: "key of OpenAI", value: fakeOpenAiKey, allowed: [] },
    { name: "key of the embedding provider", value: fakeEmbeddingsKey, allowed: [] },
    { name: "password in DATABASE_URL", value: values.databasePassword, allowed: [] },
    { name: "other secret of the environment", value: values.unrelated, allowed: [] },
    { name: "bearer token of a tool", value: values.toolToken, allowed: [] },
    { name: "secret header of a tool", value: values.toolHeader, allowed: [] },
    { name: "query of a tool's address", value: values.toolQuery, allowed: owners },
    // Models read all that a chatbot is asked and told.
    { name: "prompt of the chatbot", value: values.prompt, allowed: [...owners, "requests to models"] },
    { name: "e-mail address of a visitor", value: values.email, allowed: [...owners, "requests to models"] },
    { name: "message of a visitor", value: values.message, allowed: [...owners, "requests to models"] },
    { name: "session token of a visitor", value: values.sessionToken, allowed: owners },
    { name: "idempotency key", value: values.idempotencyKey, allowed: ["database", "files of the data directory"] },
    { name: "value in an invalid body", value: values.invalidBody, allowed: [] },
    // What the knowledge base holds is there to be told to visitors.
    {
      name: "text of a document",
      value: values.document,
      allowed: [...owners, "requests to models", "answers to the website's key"],
    },
  ]
  const seen: Array<Seen> = []
  const see = (place: Place, where: string, text: string | Buffer): void =>
    void seen.push({ place, where, bytes: Buffer.from(text) })

  const anthropic = yield* provider
  const embeddings = yield* fakeEmbeddings()
  // An endpoint that shows what it was asked, as echo servers and error pages do.
  const endpoint = yield* listening(({ headers }) =>
    Response.json({ authorization: headers.get("authorization"), header: headers.get("x-secret") }),
  )
  const database = yield* fresh
  const given = yield* settingsFor(database)
  const url = database.kind === "postgres" ? new URL(database.url) : undefined
  if (url !== undefined) url.password = values.databasePassword
  const settings: Settings = {
    ...given,
    ...(url !== undefined && { DATABASE_URL: url.href }),
    BOOTSTRAP_API_KEY: values.bootstrap,
    SECRETS_KEY: secretsKey,
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_API_KEY: fakeOpenAiKey,
    OPENAI_BASE_URL: anthropic.url,
    EMBEDDINGS: "openai:text-embedding-3-small",
    EMBEDDINGS_API_KEY: fakeEmbeddingsKey,
    EMBEDDINGS_BASE_URL: embeddings.url,
    TOOL_PRIVATE_NETWORKS: "127.0.0.1",
    AWS_SECRET_ACCESS_KEY: values.unrelated,
    LOG_LEVEL: "debug",
    LOG_FORMAT: format,
  }
  const server: ServerProcess = yield* serverProcess(settings)
  const address = yield* Effect.promise(() => server.listening)

  const ask = async (
    who: "owner" | "website" | "nobody",
    apiKey: string | undefined,
    method: string,
    path: string,
    { json, body, headers }: { json?: unknown; body?: Bun.BodyInit; headers?: Record<string, string> } = {},
  ): Promise<string> => {
    const content = json === undefined ? body : JSON.stringify(json)
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(apiKey !== undefined && { "x-api-key": apiKey }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const text = await response.text()
    const shown = `${response.status} ${JSON.stringify(Array.from(response.headers))}\n${text}`
    const successes = {
      owner: "answers to the owner's key",
      website: "answers to the website's key",
      nobody: "OpenAPI and documentation",
    } as const
    see(response.status < 400 ? successes[who] : "refusals", `${method} ${path.slice(0, 120)}`, shown)
    return text
  }
  const owner = (method: string, path: string, sent?: Parameters<typeof ask>[4]) =>
    ask("owner", values.bootstrap, method, path, sent)

  /** Makes a key. This answer is the only one that may have it, and is not looked through. */
  const newKey = async (name: string, more: object): Promise<string> => {
    const response = await fetch(`${address}/api/admin/api-keys`, {
      method: "POST",
      headers: { "x-api-key": values.bootstrap, "content-type": "application/json" },
      body: JSON.stringify({ name, scopes: allScopes, ...more }),
    })
    const made: { readonly key: string; readonly api_key: { readonly id: string } } = JSON.parse(await response.text())
    canaries.push({ name: `${name} key`, value: made.key, allowed: [] })
    if (name === "revoked") await owner("DELETE", `/api/admin/api-keys/${made.api_key.id}`)
    return made.key
  }

  const ownCommand = readOrNothing(`/proc/${server.pid}/cmdline`)
  const watchReaders = (): (() => void) => {
    const timer = setInterval(() => {
      for (const pid of childrenOf(server.pid)) {
        const command = readOrNothing(`/proc/${pid}/cmdline`)
        // Until it runs its own program, a child is a copy of the server.
        if (command.equals(ownCommand)) continue
        see("process arguments", "a reader", command)
        see("environment of readers", "a reader", readOrNothing(`/proc/${pid}/environ`))
      }
    }, 5)
    return () => clearInterval(timer)
  }

  yield* Effect.promise(async () => {
    see("process arguments", "the server", ownCommand)
    const made = await owner("POST", "/api/external/chatbots", {
      json: { name: "Support", settings: { model: "claude-sonnet-5-5", prompt: values.prompt } },
      headers: { "idempotency-key": values.idempotencyKey, cookie: `session=${values.cookie}` },
    })
    const bot: string = JSON.parse(made).chatbot.id
    const at = `/api/external/chatbot/${bot}`
    const website = await newKey("website", { scopes: ["chat"], chatbot_id: bot })
    const revoked = await newKey("revoked", {})
    const tool = {
      name: "order",
      description: "Looks an order up.",
      input_schema: { type: "object", properties: {} },
      url: `${endpoint}/orders?token=${values.toolQuery}`,
      headers: { authorization: `Bearer ${values.toolToken}`, "x-secret": values.toolHeader },
    }
    await owner("POST", `${at}/tools`, { json: tool })
    await owner("GET", `${at}/tools`)
    await owner("PATCH", `${at}/tools/${crypto.randomUUID()}`, { json: { headers: { "x-secret": values.toolHeader } } })
    await owner("POST", `${at}/tools`, { json: { ...tool, name: "private", url: "http://10.0.0.1/" } })

    const stop = watchReaders()
    const form = new FormData()
    form.set("chatbotId", bot)
    form.append("files", new Blob([`# Returns\n\nThe code of returns is ${values.document}.\n`]), "returns.md")
    if (isWhole) form.append("files", new Blob([readFileSync(fixturePath("handbook.pdf"))]), "handbook.pdf")
    form.append("files", new Blob(["%PDF-1.7 broken"]), "broken.pdf")
    await owner("POST", "/api/embedfiles", { body: form })
    stop()
    await owner("POST", `${at}/query-knowledge`, { json: { query: "What is the code of returns?" } })

    const callsTool = message([{ type: "tool_use", id: "t", name: "order", input: {} }], "tool_use")
    await anthropic.answers(callsTool, says("It is on its way."))
    const chat = {
      messages: [{ role: "user", content: `I am ${values.email}. ${values.message}` }],
      sessionToken: values.sessionToken,
    }
    await ask("website", website, "POST", `${at}/chat`, { json: chat })
    for (const { body } of anthropic.requests()) see("requests to models", "chat", body)
    await anthropic.answers(callsTool, says("It is on its way."))
    await ask("website", website, "POST", `${at}/chat?stream=true`, { json: chat })
    const completion = { model: bot, messages: chat.messages }
    await ask("website", undefined, "POST", "/v1/chat/completions", {
      json: completion,
      headers: { authorization: `Bearer ${website}` },
    })
    for (const { body } of anthropic.requests()) see("requests to models", "stream", body)
    for (const status of isWhole ? [400, 401, 403, 429, 500, 529] : [400, 401]) {
      await anthropic.answers({ kind: "status", status, type: "api_error", headers: {} })
      await ask("website", website, "POST", `${at}/chat`, { json: chat })
    }
    await anthropic.answers({ kind: "raw", body: "{}", contentType: "application/json" })
    await ask("website", website, "POST", `${at}/chat`, { json: chat })

    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    }
    const accept = "application/json, text/event-stream"
    for (const apiKey of [website, values.bootstrap, values.unknownKey, revoked]) {
      const headers = { accept, authorization: `Bearer ${apiKey}` }
      const who = apiKey === website ? "website" : "owner"
      await ask(who, undefined, "POST", `/mcp/${bot}`, { json: initialize, headers })
    }

    for (const apiKey of [values.unknownKey, values.malformedKey, revoked]) {
      await ask("owner", apiKey, "GET", "/api/external/chatbots")
      await ask("owner", apiKey, "POST", "/v1/chat/completions", { json: completion })
    }
    await ask("nobody", undefined, "GET", `/api/external/chatbots?api_key=${values.queryKey}`)
    await ask("website", website, "GET", `${at}/conversations/${values.sessionToken}/messages`)
    await ask("website", website, "GET", "/api/admin/api-keys")
    await owner("POST", "/api/external/chatbots", { json: { name: 7, prompt: { text: values.invalidBody } } })
    await owner("POST", "/api/external/chatbots", {
      body: `{"name": ${values.invalidBody}`,
      headers: { "content-type": "application/json" },
    })
    await owner("POST", `${at}/chat`, { json: { messages: [{ role: "system", content: values.invalidBody }] } })

    for (const path of [
      at,
      "/api/external/chatbots",
      `${at}/conversations`,
      `${at}/conversations/${values.sessionToken}`,
      `${at}/conversations/${values.sessionToken}/messages`,
      `${at}/conversations/${values.sessionToken}/transcript`,
      `${at}/conversations/${values.sessionToken}/transcript?format=markdown`,
      `${at}/knowledge-base/documents`,
      "/api/external/usage",
      "/api/admin/api-keys",
      "/api/admin/organizations",
      "/api/admin/audit-log",
    ]) {
      await owner("GET", path)
    }
    for (const path of ["/openapi.json", "/docs/guide", "/docs/settings", "/healthz", "/readyz"]) {
      await ask("nobody", undefined, "GET", path)
    }
    server.kill("SIGTERM")
    await server.exited
  })
  see("log", "the server", server.stdout() + server.stderr())

  for (const command of isWhole ? [["doctor"], ["keys", "list"], ["organizations", "list"]] : []) {
    const run = yield* serverProcess(settings, command)
    yield* Effect.promise(() => run.exited)
    see("output of commands", command.join(" "), run.stdout() + run.stderr())
  }
  const kept: TestDatabase =
    database.kind === "postgres" ? database : { ...database, directory: join(given.DATA_DIR, "database") }
  for (const [table, rows] of yield* dump(kept)) see("database", table, rows)
  for (const path of filesBelow(given.DATA_DIR)) {
    see("files of the data directory", path.slice(given.DATA_DIR.length), readOrNothing(path))
  }

  const places = Array.from(
    Map.groupBy(seen, ({ place }) => place),
    ([place, all]) => ({
      place,
      bytes: all.reduce((sum, { bytes }) => sum + bytes.length, 0),
    }),
  )
  return { canaries, places, hits: search(canaries, seen) }
})
