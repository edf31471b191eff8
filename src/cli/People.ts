import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ChatbotId, PersonId } from "../domain/Ids.ts"
import { type Person, PersonInput } from "../domain/people/Person.ts"
import { Role } from "../domain/people/Role.ts"
import { printable } from "../system/Printable.ts"
import { Administration } from "./Administration.ts"
import { decodedBy, idArgument, command } from "./Arguments.ts"
import { organization, orOperators } from "./Keys.ts"

const invite = command("invite", "Invite a person, and print the link of the invitation once", {
  name: Argument.String("name").pipe(
    Argument.withDescription("The person's name"),
    Argument.filterMap(...decodedBy(PersonInput.fields.name, "1 to 200 characters")),
  ),
  organization,
  email: Flag.String("email").pipe(
    Flag.withDescription("Where the person is told; it never says who they are"),
    Flag.optional,
  ),
  roles: Flag.Literals("role", Role.literals).pipe(
    Flag.withDescription("What the person may do; needed, and may be repeated"),
    Flag.atLeast(1),
  ),
  chatbot: Flag.String("chatbot").pipe(
    Flag.withDescription("Id of the only chatbot that the roles are for; the whole organization when absent"),
    Flag.filterMap(...decodedBy(ChatbotId, "the id of a chatbot, a UUID")),
    Flag.optional,
  ),
})(
  Effect.fn(function* ({ chatbot, email, name, organization, roles }) {
    const owner = yield* orOperators(organization)
    const { invitation } = yield* (yield* Administration).invitePerson(owner.id, {
      name,
      email: Option.getOrNull(email),
      roles: roles.map((role) => ({ role, chatbot_id: Option.getOrNull(chatbot) })),
    })
    yield* Console.log(`${invitation.link}\n`)
    yield* Console.log("The first to open this link, within a week, is this person. It is shown this once.")
  }),
)

/** Describes a person in one line: id, name, e-mail address, roles and state. */
const described = ({ claimed_roles, email, id, last_seen_at, name, roles, state }: Person): string => {
  const all = [...roles, ...claimed_roles].map(
    ({ chatbot_id, role }) => `${role}${chatbot_id === null ? "" : ` of ${chatbot_id}`}`,
  )
  const seen = state === "active" && last_seen_at !== null ? `last seen ${last_seen_at}` : state
  return `${id}  ${printable(name)}  ${printable(email ?? "no e-mail address")}  [${all.join(", ")}]  ${seen}`
}

const list = command("list", "List the people of an organization, by name", { organization })(
  Effect.fn(function* ({ organization }) {
    const owner = yield* orOperators(organization)
    for (const person of yield* (yield* Administration).people(owner.id)) yield* Console.log(described(person))
  }),
)

const remove = command("remove", "Remove a person, who is signed out everywhere", {
  id: idArgument(PersonId, "person"),
})(
  Effect.fn(function* ({ id }) {
    yield* (yield* Administration).removePerson(id)
    yield* Console.log(`Removed ${id}. Running servers sign them out within a second.`)
  }),
)

/** Makes the commands below `people`. */
export const people = <E, R>(administration: Layer.Layer<Administration, E, R>) =>
  Command.make("people").pipe(
    Command.withDescription("Invite, list and remove people"),
    Command.withSubcommands([
      Command.provide(invite, administration),
      Command.provide(list, administration),
      Command.provide(remove, administration),
    ]),
  )
