import { Console, Context, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import type { Finding } from "../domain/console/SystemState.ts"
import { Doctor } from "../services/Doctor.ts"
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

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings = yield* (yield* Examination).examine
    for (const { state, part, text } of findings) {
      yield* Console.log(`${state.padEnd(5)}  ${part.padEnd(10)}  ${printable(text)}`)
    }
    const wrong = findings.filter(({ state }) => state === "wrong").length
    if (wrong > 0) {
      return yield* new StartupError({
        what: `${wrong} of these ${wrong === 1 ? "is" : "are"} wrong.`,
        doThis: "Mend that and run it again.",
      })
    }
  }, withHints),
).pipe(Command.withDescription("Look at database, embeddings, queue and files; ends with 1 when something is wrong"))
