import { Effect, Schema } from "effect"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import type { Reach } from "../../domain/Caller.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { OrganizationId, type PersonId } from "../../domain/Ids.ts"
import type { SqlClient } from "effect/sql"
import type { Range } from "../../domain/Page.ts"
import { PersonName } from "../../domain/inbox/PersonName.ts"
import type { KeyMaker } from "../../domain/keys/ApiKey.ts"
import { Person } from "../../domain/people/Person.ts"
import { type PersonRole, rolesWith } from "../../domain/people/Role.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { committing, onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, json, texts, uuids } from "../sql/SqlValues.ts"
import { INVITATION_LIFETIME } from "../../domain/people/Invitation.ts"
import { Service } from "../../domain/Service.ts"

export const PersonRow = Schema.Struct({
  ...Person.fields,
  created_at: TimestampColumn,
  last_seen_at: Schema.NullOr(TimestampColumn),
  organization_id: OrganizationId,
  version: Schema.BigInt,
  /** When the open invitation expires. */
  invitation_expires_at: Schema.NullOr(TimestampColumn),
})
export type PersonRow = typeof PersonRow.Type

export interface NewPerson {
  readonly id: PersonId
  readonly name: string
  readonly email: string | null
  readonly roles: ReadonlyArray<PersonRole>
  /** SHA-256 of a secret that nobody knows: nobody acts by the person's key itself. */
  readonly keyHash: Uint8Array
  readonly invitationHash: Uint8Array
  readonly createdBy: KeyMaker
}

/** A change of a person; fields that are absent stay. */
export interface PersonChange {
  readonly name?: string
  readonly email?: string | null
  readonly avatar?: string | null
  readonly roles?: ReadonlyArray<PersonRole>
  /** SHA-256 of a new invitation's secret. */
  readonly invitationHash?: Uint8Array
  readonly isRemoved?: true
}

export interface PeopleFilter {
  /** A part of the name or of the e-mail address, in upper or lower case. */
  readonly search?: string | undefined
  readonly isRemoved?: boolean | undefined
}

const personNotFound = new NotFound({ detail: "There is no such person." })
const noChatbot = new NotFound({ detail: "There is no such organization, or it has no such chatbot." })
const lastOwner = new Conflict({ detail: "This is the organization's last owner. Make another one first." })

/** Builds the statement that finds an owner of an organization who can sign in. */
export const someOwner = (sql: SqlClient.SqlClient, organization: OrganizationId) => sql`
  select p.id from people p join person_roles r on r.person_id = p.id
  where p.organization_id = ${organization} and p.state = 'active' and r.role = 'owner' limit 1`

/** Inserts the key by which a person acts, which comes before the person. Nobody knows the secret of its hash. */
export const insertKey = (
  sql: SqlClient.SqlClient,
  {
    createdBy,
    id,
    keyHash,
    name,
  }: Pick<NewPerson, "id" | "keyHash" | "name"> & { readonly createdBy: KeyMaker | null },
  organization: OrganizationId,
) => sql`
  insert into api_keys (id, organization_id, kind, name, hash, prefix, last_four, scopes, created_by)
  values (${id}, ${organization}, 'person', ${name}, ${keyHash}, '', '', '{}', ${createdBy})`

const rolesColumn = (condition: string) => `coalesce((
    select jsonb_agg(jsonb_build_object('role', role, 'chatbot_id', chatbot_id) order by chatbot_id nulls first, role)
    from person_roles where person_id = p.id and organization_id = p.organization_id and ${condition}
  ), '[]')`

/** The roles of the person `p`, those that a claim gives too. */
export const ALL_ROLES = rolesColumn("true")

const COLUMNS = `p.id, p.organization_id, p.name, p.email, p.avatar, p.state, p.version, p.created_at, p.last_seen_at,
  p.invitation_expires_at, ${rolesColumn("not is_claimed")} as roles, ${rolesColumn("is_claimed")} as claimed_roles, (
    select id from sign_in_providers where organization_id = p.organization_id and issuer = p.issuer order by id limit 1
  ) as provider_id, (
    select count(*)::int from passkeys where person_id = p.id and organization_id = p.organization_id
  ) as passkeys`

const only = decodeRowOr(PersonRow, personNotFound)
const decodeListed = decodeRows(Schema.Struct({ ...PersonRow.fields, at: Schema.String }))
const decodeNames = decodeRows(Schema.Struct({ ...PersonName.fields, avatar: Schema.NullOr(Schema.String) }))

/** The tables `people` and `person_roles`, of all organizations, as operators reach them all. */
export class People extends Service<People>()("parley/storage/people/People", function* () {
  const sql = yield* SystemSql
  const auditing = yield* Auditing

  const columns = sql.literal(COLUMNS)
  const reached = (id: PersonId, organization: OrganizationId | undefined) =>
    sql`p.id = ${id} ${organization === undefined ? sql`` : sql`and p.organization_id = ${organization}`}`
  const read = (id: PersonId) => only(sql`select ${columns} from people p where p.id = ${id}`)

  /** Replaces the roles of a person, either those that are set by hand or those that a claim gives. */
  const setRoles = Effect.fnUntraced(function* (
    { id, organization_id }: Pick<PersonRow, "id" | "organization_id">,
    roles: ReadonlyArray<PersonRole>,
    isClaimed: boolean,
  ) {
    yield* sql`delete from person_roles where person_id = ${id} and is_claimed = ${isClaimed}`
    yield* sql`
      insert into person_roles (person_id, organization_id, chatbot_id, role, is_claimed)
      select ${id}::uuid, ${organization_id}::uuid, given.chatbot_id, given.role, ${isClaimed}
      from jsonb_to_recordset(${json(roles)}) as given (chatbot_id uuid, role text) on conflict do nothing`
  })

  /** Fails unless the organization still has an owner who can sign in. */
  const ensureOwner = Effect.fnUntraced(function* (organization: OrganizationId) {
    if ((yield* someOwner(sql, organization)).length === 0) return yield* lastOwner
  })

  const applied = Effect.fnUntraced(function* (before: PersonRow, change: PersonChange) {
    const {
      avatar = before.avatar,
      email = before.email,
      invitationHash,
      isRemoved = false,
      name = before.name,
    } = change
    const { id, organization_id: organization } = before
    yield* sql`
      update people set name = ${name}, email = ${email}, avatar = ${avatar}, version = version + 1,
        state = case when ${isRemoved}::boolean then 'removed' else state end,
        invitation_hash = case when ${isRemoved}::boolean then null
          else coalesce(${invitationHash ?? null}::bytea, invitation_hash) end,
        invitation_expires_at = case when ${invitationHash === undefined}::boolean then invitation_expires_at
          else now() + ${interval(INVITATION_LIFETIME)} end
      where id = ${id}`
    yield* sql`
      update api_keys set name = ${name}, revoked_at = case when ${isRemoved}::boolean then now() end where id = ${id}`
    if (change.roles !== undefined) yield* setRoles(before, change.roles, false)
    if (isRemoved) {
      yield* sql`delete from person_sessions where person_id = ${id}`
      yield* sql`delete from passkeys where person_id = ${id}`
      yield* sql`delete from person_roles where person_id = ${id}`
      yield* sql`
        update sessions set assignee = null, waiting_since = coalesce(waiting_since, clock_timestamp())
        where organization_id = ${organization} and assignee = ${id}`
    }
    if (before.state === "active" && isOwner(before)) yield* ensureOwner(organization)
    return yield* read(id)
  })

  return {
    /** Adds an invited person. Fails with `NotFound` for a chatbot that the organization does not have. */
    insert: Effect.fnUntraced(
      function* (organization: OrganizationId, person: NewPerson) {
        const { email, id, invitationHash, name, roles } = person
        yield* insertKey(sql, person, organization)
        yield* sql`
          insert into people (id, organization_id, name, email, invitation_hash, invitation_expires_at)
          values (${id}, ${organization}, ${name}, ${email}, ${invitationHash}, now() + ${interval(INVITATION_LIFETIME)})`
        yield* setRoles({ id, organization_id: organization }, roles, false)
        yield* auditing.record(sql, {
          organization,
          action: "person.invited",
          target: id,
          after: concealed({ name, roles: roles.map((role) => ({ ...role })) }),
        })
        return yield* read(id)
      },
      committing<NotFound>(
        sql,
        onForeignKeyViolation(() => noChatbot),
      ),
    ),

    /** Lists people of an organization by name. What is absent of the filter holds for all. */
    list: Effect.fnUntraced(function* (
      organization: OrganizationId,
      { isRemoved, search }: PeopleFilter,
      range: Range,
    ) {
      // The columns are read for the page alone, not for everybody before the order is known.
      const rows = yield* decodeListed(sql`
        select ${columns}, ${sql.literal(placeColumn("p.created_at"))} from (
          select p.* from people p
          where p.organization_id = ${organization}
            ${isRemoved === undefined ? sql`` : sql`and (p.state = 'removed') = ${isRemoved}`}
            ${search === undefined ? sql`` : sql`and position(lower(${search}) in lower(concat_ws(' ', p.name, p.email))) > 0`}
            ${
              range.after === undefined
                ? sql``
                : sql`and (lower(p.name), p.id) > (
                    select lower(last.name), last.id from people last
                    where last.id = ${range.after.id}::uuid and last.organization_id = ${organization}
                  )`
            }
          order by lower(p.name), p.id limit ${readLimit(range)}
        ) p order by lower(p.name), p.id`)
      return toListed(rows, range, (row): PersonRow => row)
    }, withoutSqlErrors),

    /** Finds a person of an organization, or of any when that is undefined. */
    get: Effect.fnUntraced(function* (id: PersonId, organization: OrganizationId | undefined) {
      return yield* only(sql`select ${columns} from people p where ${reached(id, organization)}`)
    }, withoutSqlErrors),

    /**
     * Changes a person who is not removed, under the lock of the organization, so that of two changes at once not each
     * takes the other for the one that leaves an owner. Fails with `Conflict` for the last owner's role.
     */
    modify: <E, R>(
      id: PersonId,
      organization: OrganizationId | undefined,
      change: (person: PersonRow, hasOwner: boolean) => Effect.Effect<PersonChange, E, R>,
    ) =>
      Effect.gen(function* () {
        const { organization_id } = yield* only(sql`
          select ${columns} from people p where ${reached(id, organization)}`)
        yield* sql`select id from organizations where id = ${organization_id} for no key update`
        const before = yield* read(id)
        if (before.state === "removed") return yield* personNotFound
        const hasOwner = yield* Effect.isSuccess(ensureOwner(organization_id))
        const wanted = yield* change(before, hasOwner)
        const after = yield* applied(before, wanted)
        const changed = changeOf(audited(before), audited(after))
        if (changed !== undefined || wanted.invitationHash !== undefined) {
          yield* auditing.record(sql, {
            organization: organization_id,
            target: id,
            action: wanted.isRemoved ? "person.removed" : wanted.invitationHash ? "person.invited" : "person.updated",
            ...changed,
          })
        }
        return after
      }).pipe(
        committing<NotFound>(
          sql,
          onForeignKeyViolation(() => noChatbot),
        ),
      ),

    /** Replaces the roles that a claim gives, in the transaction that is open. Returns the person. */
    setClaimedRoles: Effect.fnUntraced(function* (id: PersonId, roles: ReadonlyArray<PersonRole>) {
      const before = yield* read(id)
      yield* setRoles(before, roles, true)
      const after = yield* read(id)
      const changed = changeOf(audited(before), audited(after))
      if (changed === undefined) return after
      const { organization_id: organization } = after
      yield* sql`update people set version = version + 1 where id = ${id}`
      yield* auditing.record(sql, { organization, target: id, action: "person.updated", ...changed })
      return after
    }),

    /** Whether the organization has an owner who can sign in. */
    hasOwner: (organization: OrganizationId) => withoutSqlErrors(Effect.isSuccess(ensureOwner(organization))),

    /**
     * Names the people of the current organization who may answer in conversations of a chatbot within reach, by name.
     */
    colleagues: Effect.fnUntraced(function* (reach: Reach) {
      const organization = yield* CurrentOrganization
      const found = yield* decodeNames(sql`
        select p.id, p.name, p.avatar from people p
        where p.organization_id = ${organization} and p.state = 'active' and exists (
          select from person_roles r where r.person_id = p.id and r.role = any(${texts(rolesWith("conversations:write"))})
            ${reach === null ? sql`` : sql`and (r.chatbot_id is null or r.chatbot_id = any(${uuids(reach)}))`}
        ) order by lower(p.name), p.id`)
      return found.map(({ avatar, id, name }) => ({ id, name, ...(avatar !== null && { avatar }) }))
    }, withoutSqlErrors),
  }
}) {}

/** Whether somebody is an owner, by hand or by a claim. */
export const isOwner = ({ claimed_roles, roles }: Pick<PersonRow, "claimed_roles" | "roles">): boolean =>
  [...roles, ...claimed_roles].some(({ role }) => role === "owner")

/** The fields of a person that the audit log compares. */
const audited = ({ avatar, claimed_roles, email, name, roles, state }: PersonRow): Schema.JsonObject => ({
  name,
  email,
  avatar,
  state,
  roles: [...roles, ...claimed_roles].map((role) => ({ ...role })),
})
