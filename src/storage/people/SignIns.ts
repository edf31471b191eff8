import { Duration, Effect, Schema } from "effect"
import { Conflict } from "../../domain/Errors.ts"
import { OrganizationId, PersonId } from "../../domain/Ids.ts"
import { SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { committing, onUniqueViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText, interval, json } from "../sql/SqlValues.ts"

/** Time for which an attempt to sign in may be under way. */
export const ATTEMPT_LIFETIME = Duration.minutes(10)

export interface NewPasskey {
  /** The id of the credential in base64url. */
  readonly id: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: ReadonlyArray<string>
}

/** The way in of a person who accepts an invitation, and their name where they have changed it. */
interface Acceptance {
  readonly name?: string | undefined
  readonly passkey?: NewPasskey
  readonly issuer?: string
  readonly subject?: string
}

/** A passkey of a person who may sign in. */
const Passkey = Schema.Struct({
  id: Schema.String,
  person_id: PersonId,
  organization_id: OrganizationId,
  public_key: Schema.Uint8Array,
  counter: Schema.Finite,
})

/** A person whose invitation is open. */
const Invited = Schema.Struct({
  id: PersonId,
  organization_id: OrganizationId,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  organization_name: Schema.String,
  /** The ids of the person's passkeys, which another one is to differ from. */
  passkeys: Schema.Array(Schema.String),
})
export type Invited = typeof Invited.Type

/** An organization as the form to sign in shows it. */
const Entrance = Schema.Struct({
  organization: Schema.Struct({ id: OrganizationId, name: Schema.String }),
  providers: Schema.Array(Schema.Struct({ id: SignInProviderId, name: Schema.String })),
  /** Whether somebody has a passkey. */
  passkeys: Schema.Boolean,
})

const decodePasskey = decodeRow(Passkey)
const decodeInvited = decodeRow(Invited)
const decodeEntrance = decodeRow(Entrance)
const decodeData = decodeRow(Schema.Struct({ data: Schema.Json }))
const decodeAccepted = decodeRow(Schema.Struct({ id: PersonId, organization_id: OrganizationId }))

/**
 * The tables `passkeys` and `sign_in_attempts`, and invitations, of all organizations: who it is shows in the end. Beside
 * attempts there are sessions of API keys that have been signed out, until they would have ended.
 */
export class SignIns extends Service<SignIns>()("parley/storage/people/SignIns", function* () {
  const sql = yield* SystemSql

  return {
    /** Describes the form to sign in to an organization; the operator's where none is named. */
    entrance: (organization: OrganizationId | undefined) =>
      withoutSqlErrors(
        decodeEntrance(sql`
          select jsonb_build_object('id', o.id, 'name', o.name) as organization, coalesce((
              select jsonb_agg(jsonb_build_object('id', id, 'name', name) order by lower(name), id)
              from sign_in_providers where organization_id = o.id
            ), '[]') as providers, exists (select from passkeys where organization_id = o.id) as passkeys
          from organizations o where o.deleted_at is null
            and ${organization === undefined ? sql`o.is_operator` : sql`o.id = ${organization}`}`),
      ),

    /** Keeps what is expected of an answer, under the hash of the secret that the browser gets. */
    begin: Effect.fnUntraced(function* (
      hash: Uint8Array,
      kind: string,
      data: Schema.Json,
      lifetime: Duration.Duration = ATTEMPT_LIFETIME,
    ) {
      yield* sql`
        insert into sign_in_attempts (id_hash, kind, data, expires_at)
        values (${hash}, ${kind}, ${json(data)}, now() + ${interval(lifetime)})
        on conflict do nothing`
    }, withoutSqlErrors),

    /** Finds what `begin` has kept, and leaves it there; undefined where there is nothing. */
    find: (hash: Uint8Array, kind: string) =>
      withoutSqlErrors(
        decodeData(sql`
          select data from sign_in_attempts where id_hash = ${hash} and kind = ${kind} and expires_at > now()`),
      ),

    /** Takes what is expected of an answer, which nobody can take again; undefined where there is nothing. */
    take: Effect.fnUntraced(function* (hash: Uint8Array, kind: string) {
      const taken = yield* decodeData(sql`
        delete from sign_in_attempts where id_hash = ${hash} and kind = ${kind} and expires_at > now() returning data`)
      return taken?.data
    }, withoutSqlErrors),

    /**
     * Finds a passkey of a person who was not removed, and whom no provider signs in: otherwise it would be a way in for
     * somebody whom the provider knows no more.
     */
    passkey: (id: string) =>
      withoutSqlErrors(
        decodePasskey(sql`
          select k.id, k.person_id, k.organization_id, k.public_key, k.counter::float8 as counter
          from passkeys k join people p on p.id = k.person_id and p.state = 'active' and p.issuer is null
            join organizations o on o.id = k.organization_id and o.deleted_at is null
          where k.id = ${id}`),
      ),

    /** Records that a passkey was used, and how often it says that it was. */
    usePasskey: (id: string, counter: number) =>
      withoutSqlErrors(sql`update passkeys set counter = ${counter}, last_used_at = now() where id = ${id}`),

    /** Finds the person whose open invitation has this hash. */
    invited: (hash: Uint8Array) =>
      withoutSqlErrors(
        decodeInvited(sql`
          select p.id, p.organization_id, p.name, p.email, o.name as organization_name,
            array(select id from passkeys where person_id = p.id) as passkeys
          from people p join organizations o on o.id = p.organization_id and o.deleted_at is null
          where p.invitation_hash = ${hash} and p.invitation_expires_at > now() and p.state <> 'removed'`),
      ),

    /**
     * Accepts an invitation, once: the person is active from now on. Returns the person; undefined where the invitation
     * is not open any more, or somebody has the passkey already.
     */
    accept: Effect.fnUntraced(
      function* (hash: Uint8Array, { issuer, name, passkey, subject }: Acceptance) {
        const person = yield* decodeAccepted(sql`
        update people p set state = 'active', invitation_hash = null, invitation_expires_at = null,
          name = coalesce(${name ?? null}::text, name), issuer = coalesce(${issuer ?? null}::text, issuer),
          subject = coalesce(${subject ?? null}::text, subject), version = version + 1
        where invitation_hash = ${hash} and invitation_expires_at > now() and state <> 'removed'
          and (issuer is null or ${passkey === undefined}::boolean) and exists (
          select from organizations where id = p.organization_id and deleted_at is null
        ) returning id, organization_id`)
        if (person === undefined) return undefined
        const { id, organization_id } = person
        yield* sql`update api_keys set name = (select name from people where id = ${id}) where id = ${id}`
        if (passkey !== undefined) {
          yield* sql`
          insert into passkeys (id, person_id, organization_id, public_key, counter, transports)
          values (${passkey.id}, ${id}, ${organization_id}, ${passkey.publicKey}, ${passkey.counter},
            ${arrayText(passkey.transports)}::text[])`
        }
        return person
      },
      committing<Conflict>(
        sql,
        onUniqueViolation("passkeys_pkey", () => new Conflict({ detail: "This passkey is in use." })),
      ),
      Effect.catchTag("Conflict", () => Effect.void),
    ),
  }
}) {}
