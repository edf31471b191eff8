import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { Actor } from "../domain/audit/Actor.ts"
import type { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"
import type { ApiKeys } from "../services/keys/ApiKeys.ts"
import type { Doctor } from "../services/doctor/Doctor.ts"
import type { People } from "../services/people/People.ts"
import type { Organizations } from "../services/organizations/Organizations.ts"
import type { ModelPackage } from "../embeddings/sentences/ModelPackage.ts"
import type { Backup } from "../backup/Backup.ts"
import type { Restore } from "../backup/Restore.ts"
import type { BlobCopy } from "../jobs/BlobCopy.ts"
import { Administration } from "./Administration.ts"
import { backup, BackupMaking, restore, verifyBackup } from "./Backups.ts"
import { blobs } from "./Blobs.ts"
import { doctor, inThisProcess, orNotExamined, throughServer } from "./Doctor.ts"
import { whenInUse } from "./InUse.ts"
import { keys } from "./Keys.ts"
import { models } from "./Models.ts"
import { organizations } from "./Organizations.ts"
import { people } from "./People.ts"
import { testCommand } from "./Test.ts"

/*
 * The command line. Commands act as the operator, directly on the database of the settings. The embedded database
 * serves one process at a time, so while a server runs on it, commands go through that server.
 */

/** Records in the audit log that the command line has made a change. */
const asCommandLine = Layer.succeed(Actor, "command_line")

/**
 * Makes the `parley` command. `serve` runs the server until it is stopped, the layer `doctor` provides the services of
 * the command with this name, and `tenancy` and `existingTenancy` those of all others. Building `tenancy` makes the database,
 * or brings it up to date; the other one changes nothing, and fails where there is none.
 */
export const make = <E, R, E2, R2, E3, R3, E4, R4, E5, R5, E6, R6, E7, R7, E8, R8, E9, R9>(actions: {
  readonly serve: Effect.Effect<void, E, R>
  readonly tenancy: Layer.Layer<ApiKeys | OrganizationRemoval | Organizations | People, E2, R2>
  readonly existingTenancy: Layer.Layer<ApiKeys | OrganizationRemoval | Organizations | People, E8, R8>
  readonly doctor: Layer.Layer<Doctor, E3, R3>
  /** Opens the database as it is, to back it up. */
  readonly backup: Layer.Layer<Backup, E4, R4>
  /** Opens an empty database with the schema of the backup, which a migration names. */
  readonly restoring: (migration: string) => Layer.Layer<Restore, E5, R5>
  /** Opens the database, to import an organization. */
  readonly importing: Layer.Layer<Restore, E6, R6>
  readonly blobs: Layer.Layer<BlobCopy, E7, R7>
  readonly models: Layer.Layer<ModelPackage, E9, R9>
}) => {
  const { serve } = actions
  const over = <E, R>(tenancy: Layer.Layer<ApiKeys | OrganizationRemoval | Organizations | People, E, R>) =>
    Administration.layer.pipe(Layer.provide(tenancy), Layer.provideMerge(asCommandLine))
  const creation = whenInUse(over(actions.tenancy), Administration.layerOf)
  const administration = whenInUse(over(actions.existingTenancy), (running) =>
    Layer.provide(
      Administration.layerOf(running),
      Layer.effectDiscard(Console.error(`parley: The server at ${running.url} has the database.`)),
    ),
  )
  const backingUp = whenInUse(Layer.provide(BackupMaking.layer, actions.backup), BackupMaking.layerOf)
  const migrate = Effect.andThen(
    Effect.scoped(Layer.build(whenInUse(actions.tenancy))),
    Console.log("The database is up to date."),
  )
  return Command.make("parley", {}, () => serve).pipe(
    Command.withDescription("A self-hosted chatbot platform. Without a command it serves."),
    Command.withSubcommands([
      Command.make("serve", {}, () => serve).pipe(Command.withDescription("Run the server, as without a command")),
      Command.make("migrate", {}, () => migrate).pipe(
        Command.withDescription("Bring the database up to date, and end"),
      ),
      Command.provide(doctor, orNotExamined(whenInUse(Layer.provide(inThisProcess, actions.doctor), throughServer))),
      blobs(actions.blobs),
      models(actions.models),
      keys({ creation, administration }),
      people(administration),
      organizations({ creation, administration, exporting: backingUp, importing: whenInUse(actions.importing) }),
      testCommand,
      Command.provide(backup, backingUp),
      verifyBackup,
      restore((migration) => whenInUse(actions.restoring(migration))),
    ]),
  )
}
