import { Duration, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller, COMMAND_LINE, ensureServes, isOperator } from "../../domain/Caller.ts"
import { Forbidden, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, type OrganizationId, PersonId } from "../../domain/Ids.ts"
import { everything, type Range } from "../../domain/Page.ts"
import { hashKey, KEY_ENTROPY_BYTES, type KeyMaker } from "../../domain/keys/ApiKey.ts"
import { excessRights } from "../../domain/keys/Delegation.ts"
import { makeInvitation } from "../../domain/people/Invitation.ts"
import type { Invitation, Person, PersonInput, PersonPatch, PersonSession } from "../../domain/people/Person.ts"
import { type PersonRole, scopesOfRole } from "../../domain/people/Role.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { Service } from "../../domain/Service.ts"
import { Mailer } from "../../outbound/Mailer.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/people/People.ts"
import { PersonSessions } from "../../storage/people/PersonSessions.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"
import { organizationWithinReach, reach } from "../Reach.ts"

/** A person as it is shown, with its version. */
export interface ShownPerson {
  readonly person: Person
  readonly version: bigint
}

const ofOneChatbot = InvalidRequest.at("roles", "Expected owners and admins of the organization, not of one chatbot")
const notAnOwner = new Forbidden({ detail: "Only an owner makes owners, and changes or removes them." })

/**
 * Requires that the caller may give roles, or change somebody who has them: the one who gets the invitation of a person
 * is that person. Keys make owners where there is none, since they are the way in when all else fails.
 */
export const ensureMayGive = Effect.fnUntraced(function* (roles: ReadonlyArray<PersonRole>, hasOwner: boolean) {
  const caller = yield* Caller
  const isOwner = caller.session?.roles.some(({ role }) => role === "owner") ?? false
  const makesOwners = isOwner || (caller.person === undefined && (isOperator(caller) || !hasOwner))
  for (const { chatbot_id, role } of roles) {
    if (role === "owner" && !makesOwners) return yield* notAnOwner
    // An owner of another organization than the operator's has nothing beyond an administrator but that.
    const scopes = scopesOfRole[role === "owner" && makesOwners ? "admin" : role]
    const excess = excessRights(caller, { scopes, chatbotId: chatbot_id, expiresAt: null })
    if (excess !== undefined) return yield* excess
  }
})
/** Owners and administrators are those of the organization. */
const ensureSound = (roles: ReadonlyArray<PersonRole> = []) =>
  roles.some(({ chatbot_id, role }) => chatbot_id !== null && scopesOfRole[role].includes("admin"))
    ? Effect.fail(ofOneChatbot)
    : Effect.void

/** Manages the people of organizations. An operator reaches those of every organization. */
export class People extends Service<People>()("parley/services/people/People", function* () {
  const storage = yield* Storage.People
  const sessions = yield* PersonSessions
  const organizationOf = yield* organizationWithinReach
  const chatbots = yield* Chatbots
  const random = yield* SecureRandom.SecureRandom
  const publicUrl = yield* PublicUrl
  const send = yield* Mailer

  /** Changes a person within reach, on behalf of the caller. */
  const modify = <E>(
    id: PersonId,
    change: (person: Storage.PersonRow, hasOwner: boolean) => Effect.Effect<Storage.PersonChange, E, Caller>,
  ) => Effect.flatMap(reach, (only) => storage.modify(id, only, change))

  const newInvitation = Effect.gen(function* () {
    const token = makeInvitation(yield* random.randomBytes(KEY_ENTROPY_BYTES))
    return { hash: hashKey(token), link: Redacted.make(`${publicUrl}/console#invitation=${token}`) }
  })

  /**
   * Sends an invitation by e-mail. Whoever has made it is told at once whether it was sent, and has the link. Nothing
   * that they have typed is in the text: the operator's mail server does not carry it to addresses of their choice.
   */
  const sendInvitation = Effect.fnUntraced(function* (email: string, invitation: ShownInvitation) {
    if (send === undefined) return null
    const until = `${invitation.expires_at.slice(0, 16).replace("T", " ")} UTC`
    const text = [
      `You are invited to Parley at ${new URL(publicUrl).host}. Open this link to make your account. It works once, until ${until}:`,
      invitation.link,
    ].join("\n\n")
    return yield* send({ id: yield* random.uuidV7(), to: email, subject: "Invitation to Parley", text }).pipe(
      Effect.timeout(MAIL_PATIENCE),
      Effect.as("sent" as const),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("An invitation could not be sent", error), "failed" as const),
      ),
    )
  })

  const invited = Effect.fnUntraced(function* (row: Storage.PersonRow, link: Redacted.Redacted, isSent = true) {
    const { person } = shown(row)
    const invitation = invitationOf(row, link)
    const email = person.email === null || !isSent ? null : yield* sendInvitation(person.email, invitation)
    return { person, invitation: { ...invitation, email } }
  })

  const add = Effect.fnUntraced(function* (
    organization: OrganizationId,
    { email = null, name, roles, send_email = true }: PersonInput,
    createdBy: KeyMaker,
  ) {
    yield* ensureSound(roles)
    const { hash, link } = yield* newInvitation
    const row = yield* storage.insert(organization, {
      id: PersonId.make(yield* random.uuidV7()),
      name,
      email,
      roles,
      keyHash: yield* random.randomBytes(HASH_BYTES),
      invitationHash: hash,
      createdBy,
    })
    return yield* invited(row, link, send_email)
  })

  const list = (...of: Parameters<typeof storage.list>) =>
    Effect.map(storage.list(...of), ({ items, next }) => ({ items: items.map((row) => shown(row).person), next }))

  return {
    /** Invites a person on behalf of the caller, who gives no right that the caller lacks (`Forbidden`). */
    invite: Effect.fn("People.invite")(function* (input: PersonInput, requested: OrganizationId | undefined) {
      const { apiKeyId, organizationId } = yield* Caller
      const organization = yield* organizationOf(requested)
      yield* ensureMayGive(input.roles, yield* storage.hasOwner(organization))
      const maker = organization === organizationId ? apiKeyId : "operator"
      return yield* add(organization, input, apiKeyId === COMMAND_LINE ? "command line" : maker)
    }),

    /** Invites a person with any roles, as the command line does for the operator. */
    issue: (organization: OrganizationId, input: PersonInput) => add(organization, input, "command line"),

    /** Makes a new invitation for a person. The one before is good no more. */
    inviteAgain: Effect.fn("People.inviteAgain")(function* (id: PersonId) {
      const { hash, link } = yield* newInvitation
      const row = yield* modify(id, (before, hasOwner) =>
        Effect.as(ensureMayGive(rolesOf(before), hasOwner), { invitationHash: hash }),
      )
      return yield* invited(row, link)
    }),

    /** Lists people of an organization, or of the caller's, by name. */
    list: (requested: OrganizationId | undefined, filter: Storage.PeopleFilter, range: Range) =>
      Effect.flatMap(organizationOf(requested), (organization) => list(organization, filter, range)),

    /** Lists the people of an organization, as the command line does for the operator. */
    all: (organization: OrganizationId) => Effect.map(list(organization, {}, everything), ({ items }) => items),

    get: (id: PersonId) =>
      Effect.map(
        Effect.flatMap(reach, (only) => storage.get(id, only)),
        shown,
      ),

    /** Changes a person. Fails with `Conflict` for the last owner's role. */
    update: Effect.fn("People.update")(function* (id: PersonId, change: Change<Person, PersonPatch>, ifMatch: IfMatch) {
      const row = yield* modify(id, (before, hasOwner) =>
        Effect.gen(function* () {
          yield* ensureMatch(before, ifMatch)
          const patch = yield* change(shown(before).person)
          yield* ensureSound(patch.roles)
          const owners = rolesOf(before).filter(({ role }) => role === "owner")
          yield* ensureMayGive([...owners, ...(patch.roles ?? [])], hasOwner)
          return patch
        }),
      )
      return shown(row)
    }),

    /** Removes a person, who is signed out everywhere. Fails with `Conflict` for the last owner. */
    remove: Effect.fn("People.remove")(function* (id: PersonId) {
      yield* modify(id, (before, hasOwner) =>
        Effect.as(
          ensureMayGive(
            rolesOf(before).filter(({ role }) => role === "owner"),
            hasOwner,
          ),
          { isRemoved: true as const },
        ),
      )
    }),

    /** Removes a person, as the command line does for the operator. */
    revoke: (id: PersonId) => Effect.asVoid(storage.modify(id, undefined, () => Effect.succeed({ isRemoved: true }))),

    /** Lists the sessions of a person, the latest use first. */
    sessions: Effect.fn("People.sessions")(function* (id: PersonId) {
      const { session } = yield* Caller
      yield* storage.get(id, yield* reach)
      return (yield* sessions.list(id)).map((one): PersonSession => ({ ...one, is_current: one.id === session?.id }))
    }),

    endSession: Effect.fn("People.endSession")(function* (id: PersonId, session: string) {
      yield* storage.get(id, yield* reach)
      yield* sessions.remove(id, session)
    }),

    /** Names those to whom conversations may be assigned, of a chatbot or of any within the caller's reach. */
    colleagues: Effect.fn("People.colleagues")(function* (chatbot: ChatbotId | undefined) {
      if (chatbot !== undefined) {
        yield* ensureServes(chatbot)
        yield* chatbots.get(chatbot)
      }
      return yield* storage.colleagues(chatbot === undefined ? (yield* Caller).chatbots : [chatbot])
    }),
  }
}) {}

const HASH_BYTES = 32

/** The longest time that an answer waits for a mail server. */
const MAIL_PATIENCE = Duration.seconds(10)

const rolesOf = ({ claimed_roles, roles }: Storage.PersonRow) => [...roles, ...claimed_roles]

const shown = ({
  invitation_expires_at: _,
  organization_id: __,
  version,
  ...person
}: Storage.PersonRow): ShownPerson => ({
  person,
  version,
})

type ShownInvitation = Omit<Invitation, "email">

const invitationOf = (row: Storage.PersonRow, link: Redacted.Redacted): ShownInvitation => ({
  link: Redacted.value(link),
  expires_at: row.invitation_expires_at ?? row.created_at,
})
