import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Manifest } from "../../../src/backup/Manifest.ts"
import { LOCAL_DIMENSIONS, LOCAL_MODEL } from "../../../src/embeddings/LocalEmbedding.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { json } from "../../../src/storage/sql/SqlValues.ts"
import { manifestIn } from "../../lib/Backups.ts"
import { Client } from "../../lib/Client.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess, type Settings } from "../../lib/ServerProcess.ts"
import { layerOf } from "../../lib/TestDatabase.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const DOCUMENTS = 2_000
const DOCUMENT_BYTES = 8_000
const CHUNKS_PER_DOCUMENT = 2
const MESSAGES = 20_000
const MESSAGES_PER_SESSION = 20
/** The clients that chat while the backup runs. */
const CLIENTS = 4

/** Runs a command as a process, and returns how long it took. It fails when the command does. */
const parley = Effect.fnUntraced(function* (settings: Settings, ...command: ReadonlyArray<string>) {
  const started = performance.now()
  const process = yield* serverProcess(settings, command)
  const code = yield* Effect.promise(() => process.exited)
  if (code !== 0) return yield* Effect.die(new Error(`${command.join(" ")}: ${process.stderr()}`))
  return (performance.now() - started) / 1_000
})

/** Fills an embedded database and its store of files, and returns the id of the chatbot that has it all. */
const fill = Effect.fnUntraced(function* (dataDir: string, seed: number, scale: number) {
  const next = random(seed)
  const files = join(dataDir, "files", "documents")
  mkdirSync(files, { recursive: true })
  const documents = Array.from({ length: Math.ceil(DOCUMENTS * scale) }, (_, index) => {
    const id = crypto.randomUUID()
    const word = () => Math.floor(next() * 36 ** 6).toString(36)
    const text = Array.from({ length: DOCUMENT_BYTES / 7 }, word).join(" ")
    writeFileSync(join(files, id), text)
    return { id, name: `${index}.txt`, size_bytes: Buffer.byteLength(text), sha256: Bun.SHA256.hash(text, "hex") }
  })
  return yield* Effect.provide(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const [organization] = yield* sql<{ id: string }>`select id from organizations`
      const owner = organization?.id ?? ""
      const chatbot = crypto.randomUUID()
      const sessions = Math.ceil((MESSAGES * scale) / MESSAGES_PER_SESSION)
      yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config,
          settings, chat_widget_config)
        values (${chatbot}, ${owner}, 'Bench', '', 'bench', false, '{}', '{}', '{}')`
      yield* sql`insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key,
          status, progress, chunk_count, revision, last_revision, embedding_model)
        select id, ${owner}::uuid, ${chatbot}::uuid, name, 'text/plain', size_bytes, sha256, 'documents/' || id, 'ready', 1,
          ${CHUNKS_PER_DOCUMENT}::int, 1, 1, ${LOCAL_MODEL}
        from jsonb_to_recordset(${json(documents)}) d (id uuid, name text, size_bytes bigint, sha256 text)`
      yield* sql`insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings,
          content, language, lexemes, embedding, embedding_model)
        select gen_random_uuid(), organization_id, chatbot_id, id, 1, part, name, '{}', repeat(sha256 || ' ', 12), 'english',
          to_tsvector('simple', sha256 || ' ' || name),
          (select array_agg(sin(part + d.size_bytes * at)::real) from generate_series(1, ${LOCAL_DIMENSIONS}) at)::vector,
          ${LOCAL_MODEL}
        from documents d, generate_series(1, ${CHUNKS_PER_DOCUMENT}) part`
      yield* sql`insert into sessions (id, organization_id, chatbot_id, platform, message_count)
        select gen_random_uuid(), ${owner}, ${chatbot}, 'web', ${MESSAGES_PER_SESSION} from generate_series(1, ${sessions})`
      yield* sql`insert into messages (id, organization_id, session_id, sender_type, content)
        select gen_random_uuid(), organization_id, id, case part % 2 when 1 then 'user' else 'bot' end, repeat(id || ' ', 8)
        from sessions, generate_series(1, ${MESSAGES_PER_SESSION}) part`
    }),
    layerOf({ kind: "embedded", directory: join(dataDir, "database") }),
  )
})

/** What clients saw who chatted all the time. */
interface Load {
  acknowledged: number
  refused: number
  longest: number
}

/** Chats until it is stopped. */
const chatMeanwhile = (url: string, chatbot: string) => {
  const client = new Client(url, operatorKey)
  const load: Load = { acknowledged: 0, refused: 0, longest: 0 }
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (let turn = 0; !isOver; turn++) {
      const started = performance.now()
      const { status } = await client.say(chatbot, `Question ${turn} of client ${index}`)
      load.longest = Math.max(load.longest, performance.now() - started)
      if (status === 200) load.acknowledged++
      else load.refused++
    }
  })
  return {
    load,
    stop: Effect.promise(() => {
      isOver = true
      return Promise.all(clients)
    }),
  }
}

/** What has to be the same in backups of the same data. */
const contentOf = ({ blobs, migration, sequences, tables }: Manifest) =>
  JSON.stringify({ blobs, migration, sequences, tables })

const makeDatabase = (server: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sql = new Bun.SQL(server, { max: 1 })
      const name = `parley_backup_${crypto.randomUUID().replaceAll("-", "")}`
      await sql.unsafe(`create database ${name}`)
      const url = new URL(server)
      url.pathname = `/${name}`
      return { sql, name, url: url.href }
    }),
    ({ name, sql }) =>
      Effect.promise(async () => {
        await sql.unsafe(`drop database ${name} with (force)`)
        await sql.end()
      }),
  )

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
const seconds = (time: number): string => `${time.toFixed(1)} s`

const measure = Effect.fnUntraced(function* ({
  postgres,
  scale,
  seed,
}: Parameters<Part>[0]): Effect.fn.Return<ReadonlyArray<Finding>, unknown, Scope.Scope> {
  const root = yield* temporaryDirectory("backup-bench")
  const settingsOf = (name: string, more: Settings = {}): Settings => ({
    DATA_DIR: join(root, name),
    PORT: "0",
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    RATE_LIMIT: "off",
    LOG_LEVEL: "error",
    ...more,
  })
  const backupOf = (name: string) => join(root, `${name}-backup`)
  const first = settingsOf("first")
  yield* parley(first, "migrate")
  yield* fill(join(root, "first"), seed, scale)

  const server = yield* serverProcess(first)
  const url = yield* Effect.promise(() => server.listening)
  const { id } = yield* Effect.promise(() => new Client(url, operatorKey).newChatbot({ name: "Load" }))
  const { load, stop } = chatMeanwhile(url, id)
  yield* Effect.sleep("3 seconds")
  const before = load.acknowledged
  const took = yield* parley(first, "backup", backupOf("first"))
  yield* stop
  server.kill("SIGKILL")
  yield* Effect.promise(() => server.exited)
  const verified = yield* parley(first, "verify-backup", backupOf("first"))
  const manifest = manifestIn(backupOf("first"))

  const findings: Array<Finding> = []
  let last = "first"
  const move = Effect.fnUntraced(function* (name: string, what: string, more: Settings = {}) {
    const settings = settingsOf(name, more)
    const restored = yield* parley(settings, "restore", backupOf(last))
    const again = yield* parley(settings, "backup", backupOf(name))
    const isEqual = contentOf(manifestIn(backupOf(name))) === contentOf(manifest)
    findings.push({
      name: `${what}: restored, and backed up again with the same checksums`,
      value: `restored in ${seconds(restored)}, backed up in ${seconds(again)}`,
      isKept: isEqual,
    })
    last = name
  })
  if (postgres !== undefined) {
    const { url } = yield* makeDatabase(postgres)
    yield* move("second", "embedded to Postgres", { DATABASE_URL: url })
  }
  yield* move("third", postgres === undefined ? "embedded to embedded" : "Postgres to embedded")

  const rows = (table: string) => manifest.tables.find(({ name }) => name === table)?.rows ?? 0
  const bytes = manifest.tables.reduce((sum, table) => sum + table.bytes, 0)
  return [
    {
      name: "backup through the server, under load",
      value: `${seconds(took)}: ${rows("documents")} documents, ${rows("messages")} messages; tables ${megabytes(bytes)}, files ${megabytes(manifest.blobs.bytes)}`,
      isKept: rows("documents") >= DOCUMENTS * scale && manifest.blobs.missing === 0,
    },
    {
      name: "chats acknowledged before it began are in it",
      value: `${before} chats, ${rows("messages") - MESSAGES * scale} messages of them and later ones`,
      isKept: rows("messages") >= MESSAGES * scale + 2 * before,
    },
    { name: "chats refused meanwhile", value: String(load.refused), isKept: load.refused === 0 },
    { name: "longest chat meanwhile", value: seconds(load.longest / 1_000) },
    { name: "`verify-backup`", value: seconds(verified) },
    ...findings,
  ]
})

/**
 * Backs up 2,000 documents and 20,000 messages while clients chat, restores the backup elsewhere (from the embedded
 * database to Postgres, where its URL is given, and back), and compares the checksums of what is there.
 */
export const part: Part = (settings) => Effect.runPromise(Effect.scoped(measure(settings)))
