import { Context, Effect, Layer } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { backupsCheck } from "./Backups.ts"
import { databaseCheck } from "./Database.ts"
import { diskCheck, type DiskSettings } from "./Disk.ts"
import { documentsCheck } from "./Documents.ts"
import { filesCheck } from "./Files.ts"
import { modelsCheck } from "./Models.ts"
import { secretsCheck } from "./Secrets.ts"
import { type ServerSettings, serverCheck } from "./Server.ts"
import { serversCheck } from "./Servers.ts"
import { tablesCheck } from "./Tables.ts"
import { vectorsCheck } from "./Vectors.ts"
import { webhooksCheck } from "./Webhooks.ts"

export interface DoctorSettings extends DiskSettings, ServerSettings {}

/** Every check, in the order in which they report. Each part of the server has a file of its own here. */
const checks = (settings: DoctorSettings) =>
  Effect.all([
    databaseCheck(settings),
    serverCheck(settings),
    serversCheck,
    tablesCheck(settings),
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
  static readonly layer = (settings: DoctorSettings) =>
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
