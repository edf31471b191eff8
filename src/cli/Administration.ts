import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Cursor, type CursorQuery } from "../api/parts/Paging.ts"
import type { ApiKey, ApiKeyPatch } from "../domain/keys/ApiKey.ts"
import type { ApiKeyId, OrganizationId, PersonId } from "../domain/Ids.ts"
import type { Organization, OrganizationPatch } from "../domain/organizations/Organization.ts"
import type { Invitation, Person, PersonInput } from "../domain/people/Person.ts"
import { everything } from "../domain/Page.ts"
import { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"
import { ApiKeys, type IssuedKey, type KeyRequest } from "../services/keys/ApiKeys.ts"
import { People } from "../services/people/People.ts"
import { Organizations } from "../services/organizations/Organizations.ts"
import type { StartupError } from "../system/StartupError.ts"
import type { Refusal, Running } from "./InUse.ts"

interface Invited {
  readonly person: Person
  readonly invitation: Invitation
}

type Answer<A> = Effect.Effect<A, Refusal | StartupError>

/** The work of the commands on organizations, keys and people: on the database itself, or through the server that has it. */
export class Administration extends Context.Service<
  Administration,
  {
    /** Every organization, oldest first. */
    readonly organizations: Answer<ReadonlyArray<Organization>>
    readonly createOrganization: (name: string) => Answer<Organization>
    readonly updateOrganization: (id: OrganizationId, patch: Omit<OrganizationPatch, "used">) => Answer<Organization>
    readonly removeOrganization: (id: OrganizationId) => Answer<void>
    /** Deletes what deleted organizations owned. False where the server does that in the background. */
    readonly removeRemains: Answer<boolean>
    /** Every key of an organization, newest first. */
    readonly keys: (organization: OrganizationId) => Answer<ReadonlyArray<ApiKey>>
    readonly issueKey: (request: Omit<KeyRequest, "allowedOrigins">) => Answer<IssuedKey>
    readonly updateKey: (id: ApiKeyId, patch: ApiKeyPatch) => Answer<ApiKey>
    readonly revokeKey: (id: ApiKeyId) => Answer<ApiKey>
    /** The people of an organization, by name. */
    readonly people: (organization: OrganizationId) => Answer<ReadonlyArray<Person>>
    /** Invites a person, and returns the invitation's link. */
    readonly invitePerson: (organization: OrganizationId, person: PersonInput) => Answer<Invited>
    readonly removePerson: (id: PersonId) => Answer<void>
  }
>()("parley/cli/Administration") {
  /** Administers the database directly. */
  static readonly layer = Layer.effect(
    Administration,
    Effect.gen(function* () {
      const organizations = yield* Organizations
      const keys = yield* ApiKeys
      const people = yield* People
      const removal = yield* OrganizationRemoval

      return {
        organizations: Effect.map(organizations.list(everything), ({ items }) => items),
        createOrganization: organizations.create,
        updateOrganization: (id, patch) => organizations.update(id, () => Effect.succeed(patch)),
        removeOrganization: organizations.remove,
        removeRemains: Effect.as(removal.run, true),
        keys: (organization) => Effect.map(keys.list(organization, everything), ({ items }) => items),
        issueKey: keys.issue,
        updateKey: (id, patch) => keys.update(id, undefined, () => Effect.succeed(patch)),
        revokeKey: (id) => keys.revoke(id, undefined),
        people: people.all,
        invitePerson: people.issue,
        removePerson: people.revoke,
      }
    }),
  )

  /** Administers through the HTTP endpoints of a running server. */
  static readonly layerOf = ({ client: { admin, people }, request }: Running) =>
    Layer.succeed(Administration, {
      organizations: everyPage((page) =>
        Effect.map(request(admin.listOrganizations({ query: page })), ({ body }) => ({
          items: body.organizations,
          next: body.next_cursor,
        })),
      ),
      createOrganization: (name) =>
        Effect.map(request(admin.createOrganization({ payload: { name } })), ({ organization }) => organization),
      updateOrganization: (organizationId, payload) =>
        Effect.map(
          request(admin.updateOrganization({ params: { organizationId }, payload })),
          ({ organization }) => organization,
        ),
      removeOrganization: (organizationId) =>
        Effect.asVoid(request(admin.deleteOrganization({ params: { organizationId } }))),
      removeRemains: Effect.succeed(false),
      keys: (organization) =>
        everyPage((page) =>
          Effect.map(request(admin.listApiKeys({ query: { ...page, organization_id: organization } })), ({ body }) => ({
            items: body.api_keys,
            next: body.next_cursor,
          })),
        ),
      issueKey: ({ chatbot, expiresAt, name, organization, scopes }) =>
        Effect.map(
          request(
            admin.createApiKey({
              payload: {
                name,
                scopes,
                organization_id: organization,
                ...(chatbot !== undefined && { chatbot_id: chatbot }),
                ...(expiresAt !== undefined && { expires_at: expiresAt }),
              },
            }),
          ),
          ({ api_key, key }) => ({ apiKey: api_key, key: Redacted.make(key) }),
        ),
      updateKey: (apiKeyId, payload) =>
        Effect.map(request(admin.updateApiKey({ params: { apiKeyId }, payload })), ({ api_key }) => api_key),
      revokeKey: (apiKeyId) =>
        Effect.map(request(admin.revokeApiKey({ params: { apiKeyId } })), ({ api_key }) => api_key),
      people: (organization_id) =>
        everyPage((page) =>
          Effect.map(request(people.list({ query: { ...page, organization_id } })), ({ body }) => ({
            items: body.people,
            next: body.next_cursor,
          })),
        ),
      invitePerson: (organization_id, person) => request(people.invite({ payload: { ...person, organization_id } })),
      removePerson: (personId) => Effect.asVoid(request(people.remove({ params: { personId } }))),
    })
}

const everyPage = Effect.fnUntraced(function* <A>(
  read: (page: CursorQuery) => Answer<{ readonly items: ReadonlyArray<A>; readonly next?: string | null | undefined }>,
) {
  const all: Array<A> = []
  let page: CursorQuery = {}
  while (true) {
    const { items, next } = yield* read(page)
    all.push(...items)
    if (typeof next !== "string") return all
    page = { cursor: yield* Effect.orDie(decodeCursor(next)) }
  }
})

const decodeCursor = Schema.decodeEffect(Cursor)
