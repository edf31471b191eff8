import {
  ByteSize,
  Context,
  Duration,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  PlatformError,
  Schema,
  type Scope,
  Stream,
} from "effect"
import { HttpServerRequest, Multipart } from "effect/http"
import { displayName } from "../domain/Document.ts"
import { filesUnavailable, notWritable } from "../system/Disk.ts"
import { InvalidRequest, RequestTimeout, TooLarge, type Unavailable } from "../domain/Errors.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { invalidBody } from "./edge/Problems.ts"
import { isLonger, tooSlow } from "./edge/RequestBody.ts"

export interface UploadSettings {
  /** Where files are while they are received. */
  readonly directory: string
  /** How long nothing may arrive before an upload is given up. */
  readonly pause: Duration.Duration
}

export interface FormLimits {
  /** Bytes of one file. */
  readonly fileSize: number
  readonly files: number
}

/** Fields of a form beside its files. */
const FIELDS_MAX_COUNT = 4
/** Bytes of one field, and of what a form needs beside the bytes of its files. */
const OVERHEAD_BYTES = 64 * 1024
/** How often a process shows that it still receives files. */
const SIGN_INTERVAL = Duration.seconds(10)
/** What a process without such a sign for so long has received is nobody's any more. */
const ABANDONED_AFTER = Duration.minutes(1)
const SIGN = "alive"

type Refused = InvalidRequest | RequestTimeout | TooLarge | Unavailable

/**
 * Files while they are received: below a directory that only the server reads, each process in a directory of its own.
 * They are deleted when their request ends, whichever way. What a process that was killed has left is swept away at the
 * next start, or by another process that shares the directory.
 */
export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Receives a form and decodes it. Its files last as long as the scope. No more of them is in memory than arrives at
     * once.
     */
    readonly receive: <A>(
      form: Schema.ConstraintDecoder<A>,
      parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
      limits: FormLimits,
    ) => Effect.Effect<A, Refused, HttpServerRequest.HttpServerRequest | Scope.Scope>
  }
>()("parley/http/Uploads") {
  static readonly layer = ({ directory, pause }: UploadSettings) =>
    Layer.effect(
      Uploads,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        // Whoever has the database alone has this directory alone, so whatever is found there is left over.
        const { isAlone } = yield* DatabaseTraits

        const orNotWritable = Effect.mapError((error: PlatformError.PlatformError) =>
          notWritable(`The directory for uploads, ${directory},`, error),
        )

        const own = yield* Effect.acquireRelease(
          Effect.andThen(
            files.makeDirectory(directory, { recursive: true, mode: 0o700 }),
            files.makeTempDirectory({ directory, prefix: "" }),
          ),
          (made) => Effect.ignore(files.remove(made, { recursive: true, force: true })),
        ).pipe(orNotWritable)

        /** Milliseconds by the clock of the file system, which all processes that share the directory go by. */
        const signOf = (folder: string) =>
          files.stat(paths.join(folder, SIGN)).pipe(
            // It is about to make its first.
            Effect.catch(() => files.stat(folder)),
            Effect.map(({ mtime }) => Option.getOrElse(mtime, () => new Date(0)).getTime()),
          )

        const sweep = Effect.gen(function* () {
          // A process that was stopped for long may find its own swept away by others.
          yield* files.makeDirectory(own, { recursive: true, mode: 0o700 })
          yield* files.writeFileString(paths.join(own, SIGN), SIGN, { mode: 0o600 })
          const now = yield* signOf(own)
          for (const name of yield* files.readDirectory(directory)) {
            const folder = paths.join(directory, name)
            if (folder === own) continue
            // One that another process removes meanwhile is not left over.
            const seen = yield* Effect.orElseSucceed(signOf(folder), () => now)
            const isLeft = isAlone || now - seen > Duration.toMillis(ABANDONED_AFTER)
            if (isLeft) yield* files.remove(folder, { recursive: true, force: true })
          }
        })
        yield* orNotWritable(sweep)
        yield* Effect.forkScoped(
          Effect.delay(regularly(SIGN_INTERVAL, "The sweep of unfinished uploads was cut off", sweep), SIGN_INTERVAL),
        )

        const platform = Context.make(Path.Path, paths).pipe(
          Context.add(FileSystem.FileSystem, {
            ...files,
            makeTempDirectoryScoped: () => files.makeTempDirectoryScoped({ directory: own, prefix: "" }),
          }),
        )

        /** Writes the files of one form, as `Multipart.toPersisted` asks for it, and counts what arrives. */
        const writer = (limits: FormLimits, arrived: { count: number }) => {
          let filesCount = 0
          return (path: string, file: Multipart.File) => {
            filesCount++
            if (filesCount > limits.files) return Effect.fail(because(TooLarge.files(limits.files)))
            let size = 0
            const tooLarge = because(TooLarge.of(displayName(file.name), limits.fileSize))
            return file.content.pipe(
              Stream.tap((chunk) => {
                arrived.count++
                size += chunk.length
                return size > limits.fileSize ? Effect.fail(tooLarge) : Effect.void
              }),
              Stream.run(files.sink(path, { flag: "wx", mode: 0o600 })),
              Effect.catchTag("PlatformError", (error) => Effect.fail(because(error))),
            )
          }
        }

        /**
         * Fails when nothing arrives for the pause; when less than twice that has passed. A time-out of each chunk would
         * keep the chunk until the time is over.
         */
        const whileArriving = Effect.fnUntraced(function* (arrived: { readonly count: number }) {
          for (let seen = -1; seen !== arrived.count;) {
            seen = arrived.count
            yield* Effect.sleep(pause)
          }
          return yield* because(tooSlow("The body: nothing of it arrived for", pause))
        })

        const receive = Effect.fn("Uploads.receive")(function* <A>(
          form: Schema.ConstraintDecoder<A>,
          parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
          limits: FormLimits,
        ) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const total = limits.fileSize * limits.files + OVERHEAD_BYTES
          if (isLonger(request, total)) return yield* formTooLarge(limits)
          const arrived = { count: 0 }
          const counted = Stream.tap(parts, () => Effect.sync(() => arrived.count++))
          const persisted = yield* Multipart.toPersisted(counted, writer(limits, arrived)).pipe(
            Effect.raceFirst(whileArriving(arrived)),
            Effect.provideContext(
              Context.merge(
                platform,
                Multipart.limitsServices({
                  maxParts: limits.files + FIELDS_MAX_COUNT,
                  maxFieldSize: ByteSize.bytes(OVERHEAD_BYTES),
                  maxTotalSize: ByteSize.bytes(total),
                  fieldMimeTypes: [],
                }),
              ),
            ),
            Effect.catchTag("MultipartError", (error) => refused(error, limits)),
          )
          return yield* Effect.mapError(Schema.decodeEffect(form, { errors: "all" })(persisted), ({ issue }) =>
            invalidBody(issue),
          )
        })

        return { receive }
      }),
    )
}

const formTooLarge = ({ fileSize, files }: FormLimits) =>
  TooLarge.of(files === 1 ? "The file" : `The form: at most ${files} files. Each of them`, fileSize)

/** A failure of ours, as the parser of forms takes one. */
const because = (cause: Refused | PlatformError.PlatformError) =>
  Multipart.MultipartError.fromReason("InternalError", cause)

/** What such a failure, or one of the parser's own, is to the caller. */
const refused = (
  { reason: { _tag, cause } }: Multipart.MultipartError,
  limits: FormLimits,
): Effect.Effect<never, Refused> => {
  if (cause instanceof TooLarge || cause instanceof RequestTimeout) return Effect.fail(cause)
  if (cause instanceof PlatformError.PlatformError) {
    return Effect.andThen(Effect.logError("A file could not be received", cause), Effect.fail(filesUnavailable(cause)))
  }
  switch (_tag) {
    case "FieldTooLarge":
      return Effect.fail(TooLarge.of("A field of the form", OVERHEAD_BYTES))
    case "FileTooLarge":
    case "BodyTooLarge":
      return Effect.fail(formTooLarge(limits))
    case "TooManyParts":
      return Effect.fail(TooLarge.files(limits.files))
    default:
      return Effect.fail(InvalidRequest.at("body", "Expected a complete multipart/form-data body"))
  }
}
