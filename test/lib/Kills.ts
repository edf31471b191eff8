import { Effect, Exit, Scope } from "effect"
import type { SystemSql } from "../../src/storage/sql/Database.ts"
import { blobKeysIn, leftovers, over, type Site, site, stop, sweep } from "./kills/Site.ts"
import { GoneAway, makeWork, type Work } from "./KillsWork.ts"
import { makeMixedFiles, type MixedFile } from "./MixedFiles.ts"
import { random } from "./Random.ts"
import { serverProcess, type Settings } from "./ServerProcess.ts"

/*
 * A server that is killed again and again while it takes files in, and what its database and its disk hold afterwards,
 * beside those of a server that was left alone.
 */

export interface KillsReport {
  readonly documents: number
  /** What is wrong, one line each. */
  readonly faults: ReadonlyArray<string>
}

/** Milliseconds from the moment it listens to the kill, at most. */
const LIFE_MAX = 900
/** Kills while it starts: one in so many. */
const STARTS_KILLED = 8
const servers = { LOG_LEVEL: "warn" }

/** Kills so many times, with sets of so many files one after the other, and compares. */
export const killAndCompare = Effect.fn("killAndCompare")(function* (options: {
  readonly kills: number
  readonly files: number
  readonly seed: number
  /** Another server, on the same Postgres and the same files, lives on and shares the work. */
  readonly companion: boolean
}) {
  const killed = yield* site(servers)
  const draw = random(options.seed)
  const companion = yield* Scope.make()
  if (options.companion) {
    const other = yield* Scope.provide(serverProcess(killed.settings), companion)
    yield* Effect.promise(() => other.listening)
  }
  const sets: Array<ReadonlyArray<MixedFile>> = []
  let kills = 0
  let work: Work | undefined
  while (kills < options.kills) {
    if (work === undefined || work.isDone()) {
      sets.push(makeMixedFiles(options.files, options.seed + sets.length))
      work = makeWork(sets.at(-1) ?? [])
    }
    yield* Effect.promise(() => live(killed.settings, work?.go, draw))
    kills++
  }
  yield* Scope.close(companion, Exit.void)
  // The rest of the work is done without kills.
  yield* finish(killed, work === undefined ? [] : [work])
  yield* sweep(killed)
  const undisturbed = yield* site(servers)
  yield* finish(undisturbed, sets.map(makeWork))
  const { found, keys } = yield* over(killed.database, (sql) =>
    Effect.all({ found: contentsIn(sql), keys: blobKeysIn(sql) }),
  )
  const expected = yield* over(undisturbed.database, contentsIn)
  return {
    documents: found.documents.length,
    faults: [...differences(found, expected), ...leftovers(killed, keys)],
  } satisfies KillsReport
})

/** The process of a server from its start to its kill. */
const live = (settings: Settings, work: Work["go"] | undefined, draw: () => number): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* serverProcess(settings)
    if (draw() < 1 / STARTS_KILLED) {
      yield* Effect.promise(() => Bun.sleep(draw() * LIFE_MAX))
    } else {
      const url = yield* Effect.promise(() => server.listening)
      const working = work?.(url).catch((error: unknown) => {
        if (!(error instanceof GoneAway)) throw error
      })
      yield* Effect.promise(() => Promise.race([Bun.sleep(draw() * LIFE_MAX), working ?? Bun.sleep(0)]))
      server.kill("SIGKILL")
      yield* Effect.promise(() => Promise.resolve(working))
    }
    // The scope kills, and waits until it is gone.
  }).pipe(Effect.scoped, Effect.runPromise)

/** Lets the work come to its end, one set after the other, and stops the server as an operator does. */
const finish = Effect.fnUntraced(function* (at: Site, works: ReadonlyArray<Work>) {
  const server = yield* serverProcess(at.settings)
  const url = yield* Effect.promise(() => server.listening)
  for (const { go } of works) yield* Effect.promise(() => go(url))
  yield* stop(server)
}, Effect.scoped)

interface Contents {
  readonly documents: ReadonlyArray<{
    readonly chatbot: string
    readonly name: string
    readonly sha256: string
    readonly status: string
    readonly failure: string | null
    readonly chunk_count: number
    /** Of the revision that serves. */
    readonly chunks: number
    readonly digest: string | null
  }>
  readonly foreignChunks: number
  readonly queued: number
}

const contentsIn = (sql: SystemSql["Service"]) =>
  Effect.gen(function* () {
    const documents = yield* sql<Contents["documents"][number]>`
        select b.name as chatbot, d.name, sha256, status, error->>'code' as failure, chunk_count,
          count(c.id)::int as chunks, md5(string_agg(c.ordinal || ':' || c.content, '' order by c.ordinal)) as digest
        from documents d join chatbots b on b.id = d.chatbot_id
          left join chunks c on c.document_id = d.id and c.revision = d.revision
        group by d.id, b.name order by chatbot, d.name, sha256`
    const [counts] = yield* sql<Omit<Contents, "documents">>`
        select (select count(*)::int from chunks c join documents d on d.id = c.document_id
          where c.revision <> d.revision) as "foreignChunks",
          (select count(*)::int from ingestions) as queued`
    return { documents, ...(counts ?? { foreignChunks: -1, queued: -1 }) } satisfies Contents
  })

const differences = (found: Contents, expected: Contents): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const keyOf = ({ chatbot, name, sha256 }: Contents["documents"][number]) => `${chatbot} ${name} ${sha256}`
  const left = new Map(found.documents.map((document) => [keyOf(document), document]))
  if (left.size !== found.documents.length) faults.push(`${found.documents.length - left.size} documents doubled`)
  for (const document of expected.documents) {
    const key = keyOf(document)
    const twin = left.get(key)
    left.delete(key)
    if (twin === undefined) faults.push(`${key} lost`)
    else if (!Bun.deepEquals(twin, document)) faults.push(`${JSON.stringify(twin)} and not ${JSON.stringify(document)}`)
  }
  for (const key of left.keys()) faults.push(`${key} should not be there`)
  if (found.foreignChunks > 0) faults.push(`${found.foreignChunks} chunks of revisions that do not serve`)
  if (found.queued > 0) faults.push(`${found.queued} ingestions left`)
  return faults
}
