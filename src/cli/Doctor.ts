import { Console, Context, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import type { Finding } from "../domain/system/SystemState.ts"
import { Doctor } from "../services/doctor/Doctor.ts"
import { StartupError } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"
import { withHints } from "./Arguments.ts"
import type { Refusal, Running } from "./InUse.ts"

/** Examines the server: in this process, or through the server that has the embedded database. */
class Examination extends Context.Service<
  Examination,
  { readonly examine: Effect.Effect<ReadonlyArray<Finding>, Refusal | StartupError> }
>()("parley/cli/Examination") {}

/** Examines in this process. */
export const inThisProcess = Layer.effect(Examination, Doctor)

/** Lets a running server examine itself. */
export const throughServer = ({ client, request }: Running) =>
  Layer.succeed(Examination, {
    examine: Effect.map(request(client.systemState.check()), ({ checks }) => checks),
  })

/** The exit code of `doctor` when it could not examine the server. */
const NOT_EXAMINED = 2

const notExamined = ({ doThis, what }: StartupError) => new StartupError({ what, doThis, exitCode: NOT_EXAMINED })

/** Lets `doctor` report in its own way that the layer of its services cannot be built. */
export const orNotExamined = <E, R>(layer: Layer.Layer<Examination, E, R>) =>
  Layer.catch(layer, (error) =>
    error instanceof StartupError
      ? Layer.succeed(Examination, { examine: Effect.fail(error) })
      : Layer.effectContext<Examination, E, never>(Effect.fail(error)),
  )

const states = ["wrong", "note", "ok"] as const

const printJson = (checks: ReadonlyArray<Finding>) =>
  Console.log(
    JSON.stringify({ state: states.find((one) => checks.some(({ state }) => state === one)) ?? "ok", checks }),
  )

export const doctor = Command.make(
  "doctor",
  { json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false)) },
  Effect.fn(function* ({ json }) {
    const examination = yield* Examination
    const checks = yield* examination.examine.pipe(
      withHints,
      Effect.tapError(({ message }) =>
        json ? printJson([{ state: "wrong", part: "database", text: message }]) : Effect.void,
      ),
      Effect.mapError(notExamined),
    )
    if (json) {
      yield* printJson(checks)
    } else {
      for (const { state, part, text } of checks) {
        yield* Console.log(`${state.padEnd(5)}  ${part.padEnd(11)}  ${printable(text)}`)
      }
    }
    const wrong = checks.filter(({ state }) => state === "wrong").length
    if (wrong > 0) {
      return yield* new StartupError({
        what: `${wrong} of these ${wrong === 1 ? "is" : "are"} wrong.`,
        doThis: "Mend that and run it again.",
      })
    }
  }),
).pipe(
  Command.withDescription(
    "Examine the server and its database; ends with 0 when nothing is wrong, 1 when something is, and 2 when it cannot tell",
  ),
)
