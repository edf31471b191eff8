import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Doctor } from "../services/Doctor.ts"
import { StartupError } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"
import { withHints } from "./Arguments.ts"

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings = yield* (yield* Doctor).examine
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
