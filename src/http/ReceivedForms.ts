import { createHash, type Hash } from "node:crypto"
import {
  ByteSize,
  Clock,
  Context,
  Duration,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  PlatformError,
  Schema,
  Stream,
} from "effect"
import { HttpServerRequest, Multipart } from "effect/http"
import { displayName } from "../domain/knowledge/Document.ts"
import { filesUnavailable, isDiskFull, notWritable } from "../system/Disk.ts"
import { InvalidRequest, RequestTimeout, TooLarge } from "../domain/Errors.ts"
import { Health } from "../services/system/Health.ts"
import { Shares } from "../admission/Shares.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { CurrentIdempotentRequest } from "./edge/Idempotency.ts"
import { invalidBody } from "./edge/Problems.ts"
import { BodyTimeout, isLonger, tooSlow } from "./edge/RequestBody.ts"

export interface UploadSettings {
  /** The directory for files while they are received. */
  readonly directory: string
}

export interface FormLimits {
  /** The most bytes of one file. */
  readonly fileSize: number
  /** The most files of one form. */
  readonly files: number
}

/** The most fields of a form beside its files. */
const FIELDS_MAX_COUNT = 4
/** The most parts of a form that stays in memory. */
const FIELDS_IN_MEMORY_MAX_COUNT = 16
/** The most bytes of one field, and of all of a form except the content of its files. */
const OVERHEAD_BYTES = 64 * 1024
/**
 * The slowest pace at which an upload keeps its place among those of its organization: 32 kbit/s, half of an ISDN line.
 * At this pace the largest file of the default limits takes less than two hours.
 */
const LEAST_BYTES_PER_SECOND = 4 * 1024
/** Measurements of the pace of an upload within `pause`, by one of which its end may come late. */
const LOOKS_PER_PAUSE = 10
/** The age from which on what is in the directory counts as left over: the slowest upload has ended by then. */
const ABANDONED_AFTER = Duration.hours(24)
const SWEEP_INTERVAL = Duration.hours(1)

/**
 * Receives files into a directory that only the server can read. The files are deleted when their request ends,
 * in any way. Those of a process that was killed are deleted at the next start, or a day later where processes share
 * the directory.
 */
export class ReceivedForms extends Context.Service<ReceivedForms>()("parley/http/ReceivedForms", {
  make: ({ directory }: UploadSettings) =>
    Effect.gen(function* () {
      const pause = Duration.fromInputUnsafe(yield* BodyTimeout)
      const files = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      // A process that has the database to itself has this directory to itself, so all that it finds there is left
      // over.
      const { isAlone } = yield* DatabaseTraits
      const shares = yield* Shares
      const health = yield* Health

      const orNotWritable = Effect.mapError((error: PlatformError.PlatformError) =>
        notWritable(`The directory for uploads, ${directory},`, error),
      )

      const makeDirectory = files.makeDirectory(directory, { recursive: true, mode: 0o700 })

      /** Deletes what processes have left that were killed. */
      const sweep = Effect.fnUntraced(function* (isAllLeft: boolean) {
        yield* makeDirectory
        const last = (yield* Clock.currentTimeMillis) - Duration.toMillis(ABANDONED_AFTER)
        for (const name of yield* files.readDirectory(directory)) {
          const folder = paths.join(directory, name)
          // A folder that its request removes meanwhile needs no removal.
          const mtime = yield* Effect.option(Effect.map(files.stat(folder), (found) => found.mtime))
          const isOld = Option.exists(Option.flatten(mtime), (made) => made.getTime() <= last)
          if (isAllLeft || isOld) yield* files.remove(folder, { recursive: true, force: true })
        }
      })
      yield* sweep(isAlone).pipe(
        // All but uploads can be answered.
        Effect.catchIf(isDiskFull, (error) => Effect.logError("The disk is full: files cannot be received", error)),
        orNotWritable,
      )
      yield* Effect.forkScoped(
        Effect.delay(regularly(SWEEP_INTERVAL, "The sweep of unfinished uploads failed", sweep(false)), SWEEP_INTERVAL),
      )

      const platform = Context.make(Path.Path, paths).pipe(
        Context.add(FileSystem.FileSystem, {
          ...files,
          makeTempDirectoryScoped: () =>
            Effect.andThen(makeDirectory, files.makeTempDirectoryScoped({ directory, prefix: "" })),
        }),
      )

      /**
       * Makes the writer of one form's files for `Multipart.toPersisted`. It counts the bytes in `arrived`, and puts
       * the hash of each file by its path into `hashes`, if there is such a map.
       */
      const writer = (limits: FormLimits, arrived: { bytes: number }, hashes: Map<string, Hash> | undefined) => {
        let filesCount = 0
        return (path: string, file: Multipart.File) => {
          filesCount++
          if (filesCount > limits.files) return Effect.fail(multipartError(TooLarge.files(limits.files)))
          let size = 0
          const hash = hashes && createHash("sha256")
          if (hash !== undefined) hashes?.set(path, hash)
          const tooLarge = multipartError(TooLarge.of(displayName(file.name), limits.fileSize))
          return file.content.pipe(
            Stream.tap((chunk) => {
              arrived.bytes += chunk.length
              size += chunk.length
              hash?.update(chunk)
              return size > limits.fileSize ? Effect.fail(tooLarge) : Effect.void
            }),
            Stream.run(files.sink(path, { flag: "wx", mode: 0o600 })),
            Effect.catchTag("PlatformError", (error) => Effect.fail(multipartError(error))),
          )
        }
      }

      /**
       * Fails when too little has arrived within the last `pause`. A time-out for each chunk would keep the chunk in
       * memory until the time-out, and let an upload that brings a byte at a time keep its place for ever.
       */
      const whileArriving = Effect.fnUntraced(function* (arrived: { readonly bytes: number }) {
        const least = LEAST_BYTES_PER_SECOND * Duration.toSeconds(pause)
        const seen = [arrived.bytes]
        do {
          yield* Effect.sleep(Duration.divideUnsafe(pause, LOOKS_PER_PAUSE))
          seen.push(arrived.bytes)
        } while (seen.length <= LOOKS_PER_PAUSE || arrived.bytes - (seen.shift() ?? 0) >= least)
        return yield* multipartError(
          tooSlow(`The body: less than ${Math.ceil(least)} bytes of it arrived within`, pause),
        )
      })

      return {
        /**
         * Receives a multipart form and decodes it. The files are written to disk as they arrive, so memory holds one
         * chunk at a time, and are deleted when the scope closes. A request with an idempotency key begins once its
         * form is complete.
         *
         * Before anything is read, the form is refused if files cannot be stored, and it takes a place among the
         * uploads of the caller's organization, which it holds until the scope closes too: so an organization occupies
         * a bounded part of the disk.
         */
        receive: Effect.fn("ReceivedForms.receive")(function* <A>(
          form: Schema.ConstraintDecoder<A>,
          parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
          limits: FormLimits,
        ) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const total = limits.fileSize * limits.files + OVERHEAD_BYTES
          if (isLonger(request, total)) return yield* formTooLarge(limits)
          yield* health.files
          yield* shares.hold("uploads")
          const arrived = { bytes: 0 }
          const idempotent = yield* CurrentIdempotentRequest
          const hashes = idempotent && new Map<string, Hash>()
          const persisted = yield* Multipart.toPersisted(parts, writer(limits, arrived, hashes)).pipe(
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
            Effect.catchTag("MultipartError", (error) => failWith(error, limits)),
          )
          const decoded = yield* Effect.mapError(Schema.decodeEffect(form, { errors: "all" })(persisted), ({ issue }) =>
            invalidBody(issue),
          )
          if (idempotent !== undefined) yield* idempotent.begin(partsOf(persisted, hashes))
          return decoded
        }),

        /** Receives a form with at most one small file, `audio`, which stays in memory, and decodes its other fields. */
        receiveInMemory: Effect.fn("ReceivedForms.receiveInMemory")(function* <A>(
          form: Schema.ConstraintDecoder<A>,
          parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
          fileSize: number,
          request: HttpServerRequest.HttpServerRequest,
        ) {
          const limits = { fileSize, files: 1 }
          if (isLonger(request, fileSize + OVERHEAD_BYTES)) return yield* formTooLarge(limits)
          const arrived = { bytes: 0 }
          const texts = new Map<string, string>()
          let audio: Uint8Array<ArrayBuffer> | undefined
          const receivePart = (part: Multipart.Part) => {
            if (part._tag === "Field") return Effect.sync(() => void texts.set(part.key, part.value))
            if (part.key !== "audio" || audio !== undefined) {
              return Effect.fail(multipartError(TooLarge.files(limits.files)))
            }
            const chunks: Array<Uint8Array> = []
            return Stream.runForEach(part.content, (chunk) => {
              arrived.bytes += chunk.length
              chunks.push(chunk)
              return Effect.void
            }).pipe(
              Effect.map(() => {
                audio = Buffer.concat(chunks)
              }),
            )
          }
          yield* Stream.runForEach(parts, receivePart).pipe(
            Effect.raceFirst(whileArriving(arrived)),
            Effect.provideContext(
              Multipart.limitsServices({
                maxParts: FIELDS_IN_MEMORY_MAX_COUNT,
                maxFieldSize: ByteSize.bytes(OVERHEAD_BYTES),
                maxFileSize: ByteSize.bytes(fileSize),
                maxTotalSize: ByteSize.bytes(fileSize + OVERHEAD_BYTES),
                fieldMimeTypes: [],
              }),
            ),
            Effect.catchTag("MultipartError", (error) => failWith(error, limits)),
          )
          const fields = yield* Effect.mapError(
            Schema.decodeEffect(form, { errors: "all", onExcessProperty: "error" })(Object.fromEntries(texts)),
            ({ issue }) => invalidBody(issue),
          )
          return { fields, audio }
        }),
      }
    }),
}) {
  static readonly layer = (settings: UploadSettings) => Layer.effect(this, this.make(settings))
}

/**
 * The properties by which two forms are the same: the names of their parts, and what these hold; of files, their names
 * and hashes. The boundary between the parts is another one each time that a client sends a form.
 */
const partsOf = (form: Multipart.Persisted, hashes: ReadonlyMap<string, Hash> | undefined): ReadonlyArray<string> =>
  Object.entries(form)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, values]) => [
      name,
      ...(Array.isArray(values) ? values : [values]).flatMap((value) =>
        typeof value === "string"
          ? ["field", value]
          : ["file", value.name, hashes?.get(value.path)?.digest("hex") ?? ""],
      ),
    ])

const formTooLarge = ({ fileSize, files }: FormLimits) =>
  TooLarge.of(files === 1 ? "The file" : `The form: at most ${files} files. Each of them`, fileSize)

/** Wraps a failure as an error of the parser of forms, whose callbacks cannot fail with anything else. */
const multipartError = (cause: RequestTimeout | TooLarge | PlatformError.PlatformError) =>
  Multipart.MultipartError.fromReason("InternalError", cause)

/** Fails with what an error of the parser of forms means to the client. */
const failWith = Effect.fnUntraced(function* (
  { reason: { _tag, cause } }: Multipart.MultipartError,
  limits: FormLimits,
) {
  if (cause instanceof TooLarge || cause instanceof RequestTimeout) return yield* cause
  if (cause instanceof PlatformError.PlatformError) {
    yield* Effect.logError("A file could not be received", cause)
    return yield* filesUnavailable(cause)
  }
  switch (_tag) {
    case "FieldTooLarge":
      return yield* TooLarge.of("A field of the form", OVERHEAD_BYTES)
    case "FileTooLarge":
    case "BodyTooLarge":
      return yield* formTooLarge(limits)
    case "TooManyParts":
      return yield* TooLarge.files(limits.files)
    default:
      return yield* InvalidRequest.at("body", "Expected a complete multipart/form-data body")
  }
})
