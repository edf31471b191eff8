import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Restore } from "../backup/Restore.ts"
import { OrganizationId } from "../domain/Ids.ts"
import { OrganizationName, RetentionText } from "../domain/organizations/Organization.ts"
import { StartupError } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"
import { Administration } from "./Administration.ts"
import { type BackupMaking, exportOrganization, importOrganization } from "./Backups.ts"
import {
  decodedBy,
  budgetFlags,
  command,
  idArgument,
  budgetPatchOf,
  quotaFlags,
  quotaPatchOf,
  showBudget,
  showQuota,
} from "./Arguments.ts"

const organizationId = idArgument(OrganizationId, "organization")

const organizationName = Argument.String("name").pipe(
  Argument.withDescription("What it is called"),
  Argument.filterMap(...decodedBy(OrganizationName, "1 to 200 characters, not all of them blank")),
)

const create = command("create", "Make an organization and print its id", { name: organizationName })(
  Effect.fn(function* ({ name }) {
    const { id } = yield* (yield* Administration).createOrganization(name)
    yield* Console.log(id)
  }),
)

const list = command(
  "list",
  "List the organizations",
  {},
)(
  Effect.fn(function* () {
    for (const { id, name, is_operator } of yield* (yield* Administration).organizations) {
      yield* Console.log(`${id}  ${printable(name)}${is_operator ? "  (operator)" : ""}`)
    }
  }),
)

const rename = command("rename", "Rename an organization", { id: organizationId, name: organizationName })(
  Effect.fn(function* ({ id, name }) {
    yield* (yield* Administration).updateOrganization(id, { name })
    yield* Console.log(`${id}  ${printable(name)}`)
  }),
)

const remove = command("delete", "Delete an organization with all that it owns", {
  id: organizationId,
  again: Argument.String("again").pipe(
    Argument.withDescription("The same id once more, to be sure"),
    Argument.filterMap(...decodedBy(OrganizationId, "the same id once more")),
    Argument.optional,
  ),
  yes: Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask for the id twice"), Flag.withDefault(false)),
})(
  Effect.fn(function* ({ id, again, yes }) {
    const administration = yield* Administration
    if (!yes && Option.getOrUndefined(again) !== id) {
      const found = (yield* administration.organizations).find((one) => one.id === id)
      return yield* new StartupError({
        what: `This deletes ${found === undefined ? id : found.name} with its chatbots, documents, conversations, keys and usage.`,
        doThis: "Give its id twice, or --yes, if that is meant.",
      })
    }
    yield* administration.removeOrganization(id)
    yield* Console.log(`Deleted ${id}. Running servers refuse its keys within a second.`)
    yield* Console.log(
      (yield* administration.removeRemains)
        ? "All that it owned is deleted; a running server, or the next to start, removes its files."
        : "The server deletes all that it owned in the background.",
    )
  }),
)

const budget = command("budget", "Set what an organization may spend; without flags, show it", {
  id: organizationId,
  ...budgetFlags,
})(
  Effect.fn(function* ({ id, ...flags }) {
    const { budget } = yield* (yield* Administration).updateOrganization(id, { budget: budgetPatchOf(flags) })
    yield* showBudget(budget)
  }),
)

const quota = command("quota", "Set how much an organization may store; without flags, show it", {
  id: organizationId,
  ...quotaFlags,
})(
  Effect.fn(function* ({ id, ...flags }) {
    yield* showQuota(yield* (yield* Administration).updateOrganization(id, { quota: quotaPatchOf(flags) }))
  }),
)

const retention = command("retention", "Set for how long conversations are kept; without --days, show it", {
  id: organizationId,
  days: Flag.String("days").pipe(
    Flag.withDescription('Days after their last activity, or "default" for what the settings say'),
    Flag.filterMap(...decodedBy(RetentionText, '"default" or a whole number from 1 to 36500')),
    Flag.optional,
  ),
})(
  Effect.fn(function* ({ id, days }) {
    const { retention_days } = yield* (yield* Administration).updateOrganization(
      id,
      Option.isSome(days) ? { retention_days: days.value } : {},
    )
    yield* Console.log(`Conversations are kept for: ${retention_days ?? "default"} (days after their last activity).`)
  }),
)

/** Makes the commands below `organizations`. The one that creates may make the database; most others need one. */
export const organizations = <E, R, E2, R2, E3, R3, E4, R4>(layers: {
  readonly creation: Layer.Layer<Administration, E4, R4>
  readonly administration: Layer.Layer<Administration, E, R>
  readonly exporting: Layer.Layer<BackupMaking, E2, R2>
  readonly importing: Layer.Layer<Restore, E3, R3>
}) =>
  Command.make("organizations").pipe(
    Command.withDescription(
      "Make, list, rename, move and delete organizations, and set what they may spend, store and keep",
    ),
    Command.withSubcommands([
      Command.provide(create, layers.creation),
      Command.provide(list, layers.administration),
      Command.provide(budget, layers.administration),
      Command.provide(quota, layers.administration),
      Command.provide(retention, layers.administration),
      Command.provide(rename, layers.administration),
      Command.provide(remove, layers.administration),
      Command.provide(exportOrganization, layers.exporting),
      Command.provide(importOrganization, layers.importing),
    ]),
  )
