import { Context, Duration, Effect, Layer, Option } from "effect"
import { StartupError } from "../../system/StartupError.ts"
import { EXTRACT_SANDBOX } from "../../system/Variables.ts"
import { ExtractProcess } from "./ExtractProcess.ts"
import { describe, noSandbox, type Sandbox, sandboxesOn } from "./Sandbox.ts"

/**
 * Confinement of the processes that read documents: `auto` by the best sandbox that works, `required` by one that hides
 * network and processes or not at all, `off` by nothing.
 */
export type SandboxMode = "auto" | "required" | "off"

export class ReaderSandbox extends Context.Service<ReaderSandbox>()("parley/readers/process/ReaderSandbox", {
  make: Effect.fnUntraced(function* (mode: SandboxMode) {
    if (mode === "required") yield* Effect.tap(ofThisMachine, refuseWeak)
    /** The sandbox of this machine, which is found out when it is first needed. */
    return { chosen: mode === "off" ? Effect.succeed(noSandbox) : ofThisMachine }
  }),
}) {
  static readonly layer = (mode: SandboxMode) => Layer.effect(this, this.make(mode))
}

/** The first of these sandboxes that works. One that does not is no failure, because containers forbid many things. */
export const firstThatWorks = (
  sandboxes: ReadonlyArray<Sandbox>,
  works: (sandbox: Sandbox) => Effect.Effect<boolean>,
): Effect.Effect<Sandbox> =>
  Effect.map(
    Effect.findFirst(sandboxes, works),
    Option.getOrElse(() => noSandbox),
  )

/** Fails unless a sandbox hides what a hostile file could steal or reach. */
export const refuseWeak = (sandbox: Sandbox): Effect.Effect<void, StartupError> =>
  sandbox.isStrict
    ? Effect.void
    : Effect.fail(
        new StartupError({
          what: `${EXTRACT_SANDBOX} is required, and documents would be read by processes ${describe(sandbox)}.`,
          doThis: `Install bubblewrap, let this user make namespaces, or set ${EXTRACT_SANDBOX}=auto.`,
        }),
      )

const PROBE_LIMITS = { memory: Number.POSITIVE_INFINITY, time: Duration.seconds(2) }
const PROBE = { format: "html", name: "probe.html", content: new Blob(["<p>probe"]) } as const
/** Every process of the engine takes more memory. Less means that the process behind the wrapping programs is not seen. */
const LEAST_BYTES = 8 * 1024 * 1024

/** Whether a process in the sandbox can read a document, while its use of memory and processor time can be seen. */
export const isWorking = (sandbox: Sandbox): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const reader = yield* ExtractProcess.start(PROBE.content.size, sandbox)
    const answer = yield* reader.read(PROBE, PROBE_LIMITS)
    return answer.kind === "split" && (yield* reader.usage).bytes > LEAST_BYTES
  }).pipe(
    Effect.scoped,
    // A program that cannot be started is a defect.
    Effect.catchCause(() => Effect.succeed(false)),
  )

/** The best sandbox of this machine; each process of the server tries once. */
const ofThisMachine: Effect.Effect<Sandbox> = Effect.runSync(
  Effect.cached(
    Effect.uninterruptible(
      Effect.tap(
        Effect.suspend(() =>
          firstThatWorks(
            sandboxesOn({ platform: process.platform, isRoot: process.getuid?.() === 0, which: Bun.which }),
            isWorking,
          ),
        ),
        (sandbox) =>
          sandbox.isStrict
            ? Effect.logDebug(`Documents are read by processes ${describe(sandbox)}`)
            : Effect.logWarning(`Documents are read by processes ${describe(sandbox)}; bubblewrap would confine them`),
      ),
    ),
  ),
)
