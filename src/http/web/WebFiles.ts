import { join } from "node:path"
import { Context, Duration, Effect, FileSystem, Layer, Option, Schema } from "effect"
import { Manifest, MANIFEST } from "./Manifest.ts"
import type { Encoding } from "./Negotiation.ts"
import { hashOf, root, webSources } from "./SourceHash.ts"

export interface WebSettings {
  /** The directory in which builds are kept, each under its hash. */
  readonly cache: string
}

/** Time that a build may take before its process is killed, many times what a small machine needs. */
const BUILD_TIMEOUT = Duration.minutes(1)

/** A build of the web pages, in its directory. */
export interface Build extends Manifest {
  readonly directory: string
}

const SCRIPT = join(import.meta.dir, "BuildMain.ts")
/** The directory beside the program for what `bun run web` has built in advance. */
const builtAhead = join(root, "web")
/** The least time between two looks at the sources: a change of them shows without a restart. */
const LOOK_INTERVAL = Duration.seconds(1)
/** Characters of what a failed build has written that are logged. */
const REASON_MAX_LENGTH = 2_000
/** The web pages could not be built; the log says why. */
export class NotBuilt extends Schema.TaggedError<NotBuilt>()("NotBuilt", {
  reason: Schema.String,
}) {
  readonly retry_after_seconds = 10
}

const decodeManifest = Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))

/** Builds into a directory, in a process of its own, which ends when nobody waits for it any more. */
const buildInto = (directory: string, sources: string, timeout: Duration.Duration) =>
  Effect.callback<void, NotBuilt>((resume, signal) => {
    const child = Bun.spawn([process.execPath, SCRIPT, directory, sources], {
      // The environment contains secrets, and Bun would load a `.env` file from the current directory.
      env: {},
      cwd: import.meta.dir,
      stdio: ["ignore", "ignore", "pipe"],
      signal,
      timeout: Duration.toMillis(timeout),
      killSignal: "SIGKILL",
    })
    void Promise.all([child.stderr.text(), child.exited]).then(([written, code]) => {
      const end = `its process ended with ${child.signalCode ?? code}, or took longer than ${Duration.format(timeout)}`
      const reason = written.trim().slice(-REASON_MAX_LENGTH) || end
      resume(code === 0 ? Effect.void : Effect.fail(new NotBuilt({ reason })))
    })
  })

/**
 * The files that browsers load: the loader, the widget and the console. They are built on the first request, unless that
 * was done in advance, and kept by the hash of their sources.
 */
export class WebFiles extends Context.Service<
  WebFiles,
  {
    /** The build of the present sources. Requests at the same time wait for the same build. */
    readonly current: Effect.Effect<Build, NotBuilt>
    /** A build by its hash, which may be an earlier one that an open page still loads from. */
    readonly byHash: (hash: string) => Effect.Effect<Option.Option<Build>>
    /** Reads a file of a build, in its plain form or a compressed one. */
    readonly read: (build: Build, name: string, encoding: Encoding) => Effect.Effect<Uint8Array<ArrayBuffer>>
  }
>()("parley/http/web/WebFiles") {
  static readonly layer = (
    { cache }: WebSettings,
    sources = webSources,
    ahead = builtAhead,
    buildTimeout = BUILD_TIMEOUT,
  ) =>
    Layer.effect(
      WebFiles,
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem

        const open = (directory: string) =>
          files.readFileString(join(directory, MANIFEST)).pipe(
            Effect.flatMap(decodeManifest),
            Effect.map((manifest): Build => ({ ...manifest, directory })),
            Effect.option,
          )
        /** Finds what is built already, and was neither half written nor half deleted. */
        const find = (hash: string) =>
          Effect.map(Effect.all([open(ahead), open(join(cache, hash))]), (found) =>
            Option.firstSomeOf(found.map(Option.filter((build) => build.hash === hash))),
          )

        const current = Effect.gen(function* () {
          const hash = yield* Effect.tryPromise({
            try: () => hashOf(sources),
            // An editor may have just replaced one of them.
            catch: (cause) => new NotBuilt({ reason: `the sources cannot be read: ${String(cause)}` }),
          })
          const found = yield* find(hash)
          if (Option.isSome(found)) return found.value
          yield* Effect.logInfo("The web pages are being built")
          yield* buildInto(join(cache, hash), sources, buildTimeout)
          return yield* Effect.fromOption(
            yield* open(join(cache, hash)),
            () => new NotBuilt({ reason: `${cache} does not hold what was built` }),
          )
        }).pipe(Effect.tapError(({ reason }) => Effect.logError("The web pages could not be built", { reason })))

        return {
          current: yield* Effect.cachedWithTTL(current, LOOK_INTERVAL),
          byHash: find,
          read: ({ directory }, name, encoding) =>
            Effect.orDie(
              Effect.map(
                files.readFile(join(directory, encoding === "identity" ? name : `${name}.${encoding}`)),
                (bytes) => new Uint8Array(bytes),
              ),
            ),
        }
      }),
    )
}
