import { Context, Effect, Layer } from "effect"
import type { Finding } from "../../domain/system/SystemState.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { documentsCheck, filesCheck, modelsCheck, secretsCheck, vectorsCheck, webhooksCheck } from "./Contents.ts"
import { backupsCheck, databaseCheck, type DatabaseSettings, diskCheck, serversCheck } from "./Database.ts"

/** Every check, in the order in which they report. */
const checks = (settings: DatabaseSettings) =>
  Effect.all([
    databaseCheck(settings),
    serversCheck(settings),
    diskCheck(settings),
    modelsCheck,
    vectorsCheck,
    documentsCheck,
    filesCheck,
    webhooksCheck,
    secretsCheck,
    backupsCheck,
  ])

/** Examines everything that a server needs, and reports what is wrong. */
export class Doctor extends Context.Service<
  Doctor,
  {
    /** Runs every check. It fails where the database cannot be reached, so that nothing can be said. */
    readonly examine: Effect.Effect<ReadonlyArray<Finding>, Unavailable>
  }
>()("parley/services/doctor/Doctor") {
  static readonly layer = (settings: DatabaseSettings) =>
    Layer.effect(
      Doctor,
      Effect.map(Effect.context<Effect.Services<ReturnType<typeof checks>>>(), (context) => ({
        examine: checks(settings).pipe(
          Effect.map((found) => found.flat()),
          Effect.withSpan("Doctor.examine"),
          Effect.provideContext(context),
        ),
      })),
    )
}
