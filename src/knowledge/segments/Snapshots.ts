import { statfs } from "node:fs/promises"
import { Clock, Context, Duration, Effect, FileSystem, Layer, Option, Path, Semaphore, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Unavailable } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type ChunkPack, uuidText } from "../../storage/search/ChunkPacks.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { regularly } from "../../system/Background.ts"
import { CHUNK_ID_BYTES, type Segment } from "./Segment.ts"
import { buildSegment } from "./SegmentBuild.ts"
import {
  decodeSegment,
  documentIdsIn,
  HASHED_AT_ONCE,
  HASHED_FROM,
  hashIn,
  SegmentHash,
  type SegmentOwner,
} from "./SegmentFile.ts"

export interface SnapshotsSettings {
  /** Where they are kept, which nothing else may be; undefined: nowhere. */
  readonly directory: string | undefined
  /** Of all of them together, at most. */
  readonly bytes: number
}

const SUFFIX = ".segment"
/** More than the description of a file takes. */
const HEAD_BYTES = 4_096
/** One that no process has used for so long is removed, */
const KEPT_FOR = Duration.days(7)
/** and a draft of a process that is gone. */
const DRAFT_KEPT_FOR = Duration.hours(1)
const SWEEP_EVERY = Duration.hours(1)
/** Segments that are built at once: each takes about twice its size while it is. */
const BUILDS_AT_ONCE = 1

/**
 * File systems, by Linux's numbers, where a file that another machine removes is gone for those who have mapped it too, which
 * ends their process: NFS, SMB, CIFS, FUSE, 9P, Ceph. There it is read instead.
 */
const SHARED_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400])

/**
 * Copies on disk of large parts of search indexes, so that a start, or room that was made for others, costs no building.
 * What is missing is built again, so that any of them may be removed at any time. Each is a file that never changes: it is
 * mapped into memory, several processes may use it at once, and one that has removed it may still use it.
 */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** All that are kept of the chatbot's knowledge, whether or not they still serve. */
    readonly open: (chatbotId: ChatbotId) => Effect.Effect<ReadonlyArray<Segment>, never, CurrentOrganization>
    /** Where one of them is kept; undefined when it is not, or not any more. */
    readonly pathOf: (segment: Segment) => string | undefined
    /** One of the chatbot's by its path; undefined when it is not there any more. */
    readonly reopen: (
      chatbotId: ChatbotId,
      path: string,
    ) => Effect.Effect<Segment | undefined, never, CurrentOrganization>
    /** Builds a segment on another thread, and keeps it if that is possible. */
    readonly build: <E>(
      chatbotId: ChatbotId,
      packs: Stream.Stream<ChunkPack, E, CurrentOrganization>,
    ) => Effect.Effect<Segment, E | Unavailable, CurrentOrganization>
    /** Removes these, as far as they are kept. */
    readonly discard: (segments: ReadonlyArray<Segment>) => Effect.Effect<void>
    /** Removes those that hold anything of documents that are gone: all when the chatbot is. */
    readonly tidy: (chatbotId: ChatbotId) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /** Does so for all chatbots, removes what was not used for long or takes too much room, and starts over after a while. */
    readonly keep: Effect.Effect<never>
  }
>()("parley/knowledge/segments/Snapshots") {
  static readonly layer = ({ directory: root, bytes: bytesMax }: SnapshotsSettings) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const random = yield* SecureRandom.SecureRandom
        const chunks = yield* Chunks
        const turn = Semaphore.makeUnsafe(BUILDS_AT_ONCE)
        /** Those that are in memory. */
        const opened = new Map<string, WeakRef<Segment>>()
        const pathsOf = new WeakMap<Segment, string>()
        /** Those that were found whole, or written, by this process. */
        const whole = new Set<string>()

        const directoryOf = ({ organization, chatbot }: SegmentOwner) =>
          root === undefined ? undefined : paths.join(root, organization, chatbot)

        const ownerOf = (chatbotId: ChatbotId) =>
          Effect.map(CurrentOrganization, (organization): SegmentOwner => ({ organization, chatbot: chatbotId }))

        const namesIn = (directory: string) => Effect.orElseSucceed(files.readDirectory(directory), () => [])

        const segmentsIn = (owner: SegmentOwner): Effect.Effect<ReadonlyArray<string>> => {
          const directory = directoryOf(owner)
          if (directory === undefined) return Effect.succeed([])
          return Effect.map(namesIn(directory), (names) =>
            names.filter((name) => name.endsWith(SUFFIX)).map((name) => paths.join(directory, name)),
          )
        }

        const remove = (path: string) =>
          Effect.suspend(() => {
            opened.delete(path)
            whole.delete(path)
            return Effect.ignore(files.remove(path, { force: true }))
          })

        const touch = (path: string) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(files.utimes(path, now / 1_000, now / 1_000)))

        /** Reads it all, which also has the system keep it at hand: a page that is missing holds up everybody. */
        const isWhole = (path: string) =>
          Effect.scoped(
            Effect.gen(function* () {
              const file = yield* files.open(path)
              const hash = new SegmentHash()
              const buffer = new Uint8Array(HASHED_AT_ONCE)
              const head = buffer.slice(0, HASHED_FROM)
              yield* file.read(head)
              for (let filled = 0; ;) {
                const read = Number(yield* file.read(buffer.subarray(filled)))
                filled += read
                if (read > 0 && filled < buffer.length) continue
                if (filled > 0) hash.add(buffer.subarray(0, filled))
                if (read === 0) return hash.value === hashIn(head)
                filled = 0
              }
            }),
          )

        if (root !== undefined) yield* Effect.ignore(files.makeDirectory(root, { recursive: true, mode: 0o700 }))
        const isMapped = yield* Effect.tryPromise(() => statfs(root ?? ".")).pipe(
          Effect.map(({ type }) => !SHARED_FILE_SYSTEMS.has(type)),
          Effect.orElseSucceed(() => false),
        )

        const bytesOf = (path: string): Effect.Effect<Uint8Array, unknown> =>
          isMapped ? Effect.try(() => Bun.mmap(path)) : files.readFile(path)

        const remembered = (path: string, segment: Segment): Segment => {
          opened.set(path, new WeakRef(segment))
          pathsOf.set(segment, path)
          return segment
        }

        /** Undefined when it is not there any more, or was damaged: then it is removed. */
        const openFile = Effect.fnUntraced(
          function* (path: string, owner: SegmentOwner): Effect.fn.Return<Segment | undefined, unknown> {
            const known = opened.get(path)?.deref()
            if (known !== undefined) return known
            const isSound = whole.has(path) || (yield* isWhole(path))
            const segment = isSound ? decodeSegment(yield* bytesOf(path), owner) : undefined
            if (segment === undefined) {
              yield* Effect.logWarning("A search index on disk is damaged, and is built anew", { path })
              yield* remove(path)
              return undefined
            }
            if (!whole.has(path)) yield* touch(path)
            whole.add(path)
            return remembered(path, segment)
          },
          Effect.orElseSucceed(() => undefined),
        )

        const open = Effect.fn("Snapshots.open")(function* (chatbotId: ChatbotId) {
          const owner = yield* ownerOf(chatbotId)
          const found = yield* Effect.forEach(yield* segmentsIn(owner), (path) => openFile(path, owner))
          return found.filter((segment) => segment !== undefined)
        })

        const pathOf = (segment: Segment) => {
          const path = pathsOf.get(segment)
          return path !== undefined && whole.has(path) ? path : undefined
        }

        const reopen = (chatbotId: ChatbotId, path: string) =>
          Effect.flatMap(ownerOf(chatbotId), (owner) => openFile(path, owner))

        /** Where a new one belongs. */
        const placeFor = Effect.fnUntraced(
          function* (owner: SegmentOwner) {
            const directory = directoryOf(owner)
            if (directory === undefined) return undefined
            yield* files.makeDirectory(directory, { recursive: true, mode: 0o700 })
            return paths.join(directory, `${yield* random.uuidV7()}${SUFFIX}`)
          },
          Effect.tapError((error) => Effect.logWarning("Search indexes cannot be stored", error)),
          Effect.orElseSucceed(() => undefined),
        )

        const build = Effect.fn("Snapshots.build")(function* <E>(
          chatbotId: ChatbotId,
          packs: Stream.Stream<ChunkPack, E, CurrentOrganization>,
        ) {
          const owner = yield* ownerOf(chatbotId)
          const path = yield* placeFor(owner)
          const bytes = yield* Semaphore.withPermit(turn, buildSegment(packs, owner, path))
          if (path !== undefined && bytes === undefined) whole.add(path)
          const segment = bytes === undefined ? path && (yield* openFile(path, owner)) : decodeSegment(bytes, owner)
          if (!segment) return yield* Effect.die("a segment that was just built is not there")
          // A document may have been deleted while it was read.
          if (path !== undefined) yield* Effect.andThen(tidy(chatbotId), limit)
          return segment
        })

        const discard = (segments: ReadonlyArray<Segment>) =>
          Effect.forEach(
            segments.flatMap((segment) => pathOf(segment) ?? []),
            remove,
            { discard: true },
          )

        const part = (path: string, offset: number, bytesToRead: number) =>
          Effect.map(Stream.runCollect(files.stream(path, { offset, bytesToRead })), (parts) => Buffer.concat(parts))

        /** Without mapping it: there may be many. */
        const documentsIn = Effect.fnUntraced(function* (path: string) {
          const place = documentIdsIn(yield* part(path, 0, HEAD_BYTES))
          const ids = place === undefined ? Buffer.alloc(0) : yield* part(path, place.offset, place.bytes)
          return Array.from({ length: ids.length / CHUNK_ID_BYTES }, (_, number) =>
            uuidText(ids, CHUNK_ID_BYTES * number),
          )
        })

        const tidy = Effect.fn("Snapshots.tidy")(function* (chatbotId: ChatbotId) {
          const owner = yield* ownerOf(chatbotId)
          const kept = yield* segmentsIn(owner)
          if (kept.length === 0) return
          const serving = new Set<string>((yield* chunks.serving(chatbotId, undefined)).map(({ id }) => id))
          for (const path of kept) {
            const held = yield* Effect.orElseSucceed(documentsIn(path), () => [])
            if (held.some((id) => !serving.has(id))) yield* remove(path)
          }
        })

        /** Every file, with the time when it was last used. */
        const inventory = Effect.gen(function* () {
          if (root === undefined) return []
          const names = yield* Effect.orElseSucceed(files.readDirectory(root, { recursive: true }), () => [])
          const found = yield* Effect.forEach(names, (name) =>
            Effect.map(Effect.option(files.stat(paths.join(root, name))), (info) => ({
              path: paths.join(root, name),
              info: Option.getOrUndefined(info),
            })),
          )
          return found.flatMap(({ path, info }) =>
            info?.type === "File"
              ? [
                  {
                    path,
                    bytes: Number(info.size),
                    used: Option.match(info.mtime, { onNone: () => 0, onSome: Number }),
                  },
                ]
              : [],
          )
        })

        /** The last used stay. */
        const limit = Effect.gen(function* () {
          let bytes = 0
          for (const file of (yield* inventory).toSorted((left, right) => right.used - left.used)) {
            bytes += file.bytes
            if (bytes > bytesMax) yield* remove(file.path)
          }
        })

        const sweep = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          for (const { path, used } of yield* inventory) {
            if (opened.get(path)?.deref() !== undefined) {
              yield* touch(path)
              continue
            }
            const keptFor = path.endsWith(SUFFIX) ? KEPT_FOR : DRAFT_KEPT_FOR
            if (now - used > Duration.toMillis(keptFor)) yield* remove(path)
          }
          yield* limit
          for (const organization of root === undefined ? [] : yield* namesIn(root)) {
            for (const chatbot of root === undefined ? [] : yield* namesIn(paths.join(root, organization))) {
              if (!isId(organization) || !isId(chatbot)) continue
              yield* tidy(ChatbotId.make(chatbot)).pipe(
                Effect.provideService(CurrentOrganization, OrganizationId.make(organization)),
              )
            }
          }
        }).pipe(Effect.withSpan("Snapshots.sweep"))

        const keep = regularly(SWEEP_EVERY, "Search indexes on disk were not looked through", sweep)

        return { open, pathOf, reopen, build, discard, tidy, keep }
      }),
    )
}

const isId = (name: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
