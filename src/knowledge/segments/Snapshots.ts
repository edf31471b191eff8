import { Clock, Context, Duration, Effect, FileSystem, Layer, Option, Path, Semaphore, type Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Unavailable } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { ChunkPack } from "../../storage/search/ChunkPacks.ts"
import { Chunks } from "../../storage/search/Chunks.ts"
import { regularly } from "../../system/Background.ts"
import type { Segment } from "./Segment.ts"
import { buildSegment } from "./SegmentBuild.ts"
import { decodeSegment, type SegmentOwner } from "./SegmentFile.ts"
import { makeSegmentReader } from "./SegmentReader.ts"

export interface SnapshotsSettings {
  /** The directory of the files, which may contain nothing else. Where it is undefined, no files are kept. */
  readonly directory: string | undefined
  /** The most bytes that all files may take together. */
  readonly bytes: number
}

const SUFFIX = ".segment"
/** How long a file is kept that no process uses. */
const KEPT_FOR = Duration.days(7)
/** How long a draft is kept, which may belong to a process that is gone. */
const DRAFT_KEPT_FOR = Duration.hours(1)
const SWEEP_EVERY = Duration.hours(1)
/** The number of segments that are built at the same time. Building takes about twice the memory of the segment. */
const CONCURRENT_BUILDS = 1

/**
 * Keeps the large segments of search indexes as files, so that neither a start of the server nor an eviction from
 * memory makes it necessary to build them again.
 *
 * Any file may be removed at any time: what is missing is built again. A file never changes. It is mapped into memory,
 * several processes may use it at the same time, and a process that has mapped it may use it after its removal.
 */
export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** Opens all files of a chatbot. Their segments may contain revisions of documents that do not serve any more. */
    readonly open: (chatbotId: ChatbotId) => Effect.Effect<ReadonlyArray<Segment>, never, CurrentOrganization>
    /** The path of a segment's file, or undefined where the segment has none. */
    readonly pathOf: (segment: Segment) => string | undefined
    /** Opens a file of a chatbot by its path. Returns undefined when the file was removed or is damaged. */
    readonly reopen: (
      chatbotId: ChatbotId,
      path: string,
    ) => Effect.Effect<Segment | undefined, never, CurrentOrganization>
    /** Builds a segment on another thread, and writes it to a file where that is possible. */
    readonly build: <E>(
      chatbotId: ChatbotId,
      packs: Stream.Stream<ChunkPack, E, CurrentOrganization>,
    ) => Effect.Effect<Segment, E | Unavailable, CurrentOrganization>
    /** Removes the files of these segments. */
    readonly discard: (segments: ReadonlyArray<Segment>) => Effect.Effect<void>
    /** Removes the files of a chatbot that contain a deleted document: all of them for a deleted chatbot. */
    readonly tidy: (chatbotId: ChatbotId) => Effect.Effect<void, Unavailable, CurrentOrganization>
    /**
     * Sweeps the directory regularly, for as long as the effect runs: it removes files that contain a deleted document,
     * that no process has used for long, or that exceed `SnapshotsSettings.bytes`.
     */
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
        const builds = Semaphore.makeUnsafe(CONCURRENT_BUILDS)
        /** The segments in memory by the paths of their files. */
        const opened = new Map<string, WeakRef<Segment>>()
        const pathsOf = new WeakMap<Segment, string>()
        /** The paths of files whose hash this process has checked, or which it has written itself. */
        const intact = new Set<string>()

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

        const forget = (path: string): void => {
          opened.delete(path)
          intact.delete(path)
        }

        const remove = (path: string) =>
          Effect.suspend(() => {
            forget(path)
            return Effect.ignore(files.remove(path, { force: true }))
          })

        const touch = (path: string) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(files.utimes(path, now / 1_000, now / 1_000)))

        if (root !== undefined) yield* Effect.ignore(files.makeDirectory(root, { recursive: true, mode: 0o700 }))
        const reader = yield* makeSegmentReader(root)

        /** Returns undefined when the file is missing, and also when it is damaged, in which case it is removed. */
        const openFile = Effect.fnUntraced(
          function* (path: string, owner: SegmentOwner): Effect.fn.Return<Segment | undefined, unknown> {
            const known = opened.get(path)?.deref()
            if (known !== undefined) return known
            const isIntact = intact.has(path) || (yield* reader.isIntact(path))
            const segment = isIntact ? decodeSegment(yield* reader.bytesOf(path), owner) : undefined
            if (segment === undefined) {
              yield* Effect.logWarning("A search index on disk is damaged, and is built anew", { path })
              yield* remove(path)
              return undefined
            }
            if (!intact.has(path)) yield* touch(path)
            intact.add(path)
            opened.set(path, new WeakRef(segment))
            pathsOf.set(segment, path)
            return segment
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
          return path !== undefined && intact.has(path) ? path : undefined
        }

        const reopen = (chatbotId: ChatbotId, path: string) =>
          Effect.flatMap(ownerOf(chatbotId), (owner) => openFile(path, owner))

        /** Chooses the path of a new file, and makes its directory. */
        const newPath = Effect.fnUntraced(
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
          const path = yield* newPath(owner)
          const bytes = yield* Semaphore.withPermit(builds, buildSegment(packs, owner, path))
          if (path !== undefined && bytes === undefined) intact.add(path)
          const segment = bytes === undefined ? path && (yield* openFile(path, owner)) : decodeSegment(bytes, owner)
          if (!segment) return yield* Effect.die("a segment that was just built is not there")
          // A document may have been deleted while its chunks were read.
          if (path !== undefined) yield* Effect.andThen(tidy(chatbotId), limit)
          return segment
        })

        const discard = (segments: ReadonlyArray<Segment>) =>
          Effect.forEach(
            segments.flatMap((segment) => pathOf(segment) ?? []),
            remove,
            { discard: true },
          )

        const tidy = Effect.fn("Snapshots.tidy")(function* (chatbotId: ChatbotId) {
          const owner = yield* ownerOf(chatbotId)
          const segmentPaths = yield* segmentsIn(owner)
          if (segmentPaths.length === 0) return
          const serving = new Set<string>((yield* chunks.serving(chatbotId, undefined)).map(({ id }) => id))
          for (const path of segmentPaths) {
            const ids = yield* Effect.orElseSucceed(reader.documentIds(path), () => [])
            if (ids.some((id) => !serving.has(id))) yield* remove(path)
          }
        })

        /** Lists every file with its size and the time when it was last used, in milliseconds since 1970. */
        const inventory = Effect.gen(function* () {
          if (root === undefined) return []
          const names = yield* Effect.orElseSucceed(files.readDirectory(root, { recursive: true }), () => [])
          const found = yield* Effect.forEach(names, (name) => {
            const path = paths.join(root, name)
            return Effect.map(Effect.option(files.stat(path)), (info) =>
              Option.toArray(info).flatMap(({ type, size, mtime }) =>
                type === "File" ? [{ path, bytes: Number(size), used: Number(Option.getOrElse(mtime, () => 0)) }] : [],
              ),
            )
          })
          return found.flat()
        })

        /** Removes the files that were not used for longest, until the others take at most `bytesMax`. */
        const limit = Effect.gen(function* () {
          let bytes = 0
          for (const file of (yield* inventory).toSorted((left, right) => right.used - left.used)) {
            bytes += file.bytes
            if (bytes > bytesMax) yield* remove(file.path)
          }
        })

        const sweep = Effect.gen(function* () {
          if (root === undefined) return
          const now = yield* Clock.currentTimeMillis
          const known = [...opened.keys(), ...intact]
          const present = yield* inventory
          // Other processes may have removed files.
          const remaining = new Set(present.map(({ path }) => path))
          for (const path of known) if (!remaining.has(path)) forget(path)
          for (const { path, used } of present) {
            if (opened.get(path)?.deref() !== undefined) {
              yield* touch(path)
              continue
            }
            const keptFor = path.endsWith(SUFFIX) ? KEPT_FOR : DRAFT_KEPT_FOR
            if (now - used > Duration.toMillis(keptFor)) yield* remove(path)
          }
          yield* limit
          for (const organization of yield* namesIn(root)) {
            for (const chatbot of yield* namesIn(paths.join(root, organization))) {
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
