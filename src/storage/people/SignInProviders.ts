import { Effect, Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { OrganizationId } from "../../domain/Ids.ts"
import { SignInProvider, type SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { someOwner } from "./People.ts"
import { decodeRows, onlyRow, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import {
  decodeSecrets,
  openSecret,
  SECRET_COLUMNS,
  sealSecret,
  secretAssignments,
  sealSecrets,
} from "../sql/SealedRows.ts"
import { committing, onUniqueViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"

/** The most providers of an organization: the page to sign in shows a button for each. */
const PROVIDERS_MAX = 20

/** The fields of a provider that administrators set. */
export const ProviderContent = Schema.Struct(
  Struct.pick(SignInProvider.fields, ["name", "issuer", "client_id", "roles_claim", "role_mappings"]),
)
export type ProviderContent = typeof ProviderContent.Type

/** A provider as its row has it, without its secret. */
export const StoredProvider = Schema.Struct({
  ...ProviderContent.fields,
  id: SignInProvider.fields.id,
  organization_id: OrganizationId,
  version: Schema.BigInt,
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})
export type StoredProvider = typeof StoredProvider.Type

const providerNotFound = new NotFound({ detail: "There is no such sign-in provider." })
const enough = new Conflict({
  detail: `The organization has ${PROVIDERS_MAX} sign-in providers, and may not have more.`,
})
const idTaken = () => new Conflict({ detail: "There is a sign-in provider with this id." })

const decodeProviders = decodeRows(StoredProvider)
const decodeProvider = decodeRowOr(StoredProvider, providerNotFound)
const decodeName = decodeRowOr(Schema.Struct({ name: Schema.String }), providerNotFound)

/** The table `sign_in_providers`, within the current organization unless a method says otherwise. */
export class SignInProviders extends Service<SignInProviders>()("parley/storage/people/SignInProviders", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const secrets = yield* Secrets
  const auditing = yield* Auditing
  const columns = sql.literal(
    "id, organization_id, name, issuer, client_id, roles_claim, role_mappings, version, created_at, updated_at",
  )

  const assignments = (content: ProviderContent) => sql`name = ${content.name}, client_id = ${content.client_id},
    roles_claim = ${content.roles_claim}, role_mappings = ${json(content.role_mappings)}`

  return {
    /** Fails with `Conflict` when the organization has as many providers as it may have, or any has this id. */
    insert: Effect.fnUntraced(
      function* (id: SignInProviderId, content: ProviderContent, secret: Redacted.Redacted) {
        const organization = yield* CurrentOrganization
        const owner = { id, organization_id: organization }
        const sealed = yield* sealSecret(secrets, secret, providerSecretPlace(owner))
        const values = { ...owner, ...content, role_mappings: json(content.role_mappings), ...sealed }
        const others = yield* sql`
        select id from sign_in_providers where organization_id = ${organization} limit ${PROVIDERS_MAX}`
        if (others.length >= PROVIDERS_MAX) return yield* enough
        yield* auditing.record(sql, {
          organization,
          action: "sign_in_provider.created",
          target: id,
          after: concealed(content),
        })
        const rows = decodeProviders(sql`insert into sign_in_providers ${sql.insert(values)} returning ${columns}`)
        return yield* Effect.flatMap(rows, onlyRow)
      },
      committing<Conflict>(sql, onUniqueViolation("sign_in_providers_pkey", idTaken)),
    ),

    /** Whether the organization has an owner who can sign in, as the tenant's transaction sees it. */
    hasOwner: Effect.flatMap(CurrentOrganization, (organization) =>
      withoutSqlErrors(Effect.map(someOwner(sql, organization), (owners) => owners.length > 0)),
    ),

    /** Lists the providers by name. */
    list: Effect.flatMap(CurrentOrganization, (organization) =>
      withoutSqlErrors(
        decodeProviders(sql`
          select ${columns} from sign_in_providers where organization_id = ${organization} order by name, id`),
      ),
    ),

    get: Effect.fnUntraced(function* (id: SignInProviderId) {
      return yield* decodeProvider(sql`
        select ${columns} from sign_in_providers where id = ${id} and organization_id = ${yield* CurrentOrganization}`)
    }, withoutSqlErrors),

    /** Changes a provider under its row's lock, and its secret where the change has one. */
    modify: <E, R>(
      id: SignInProviderId,
      change: (
        provider: StoredProvider,
      ) => Effect.Effect<readonly [ProviderContent, Redacted.Redacted | undefined], E, R>,
    ) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const before = yield* decodeProvider(sql`
          select ${columns} from sign_in_providers where id = ${id} and organization_id = ${organization} for update`)
        const [content, secret] = yield* change(before)
        const changed = changeOf(auditedOf(before), auditedOf(content))
        if (changed === undefined && secret === undefined) return before
        const sealed = secret && (yield* sealSecret(secrets, secret, providerSecretPlace(before)))
        yield* auditing.record(sql, { organization, action: "sign_in_provider.updated", target: id, ...changed })
        return yield* decodeProvider(sql`
          update sign_in_providers set ${assignments(content)}, version = version + 1, updated_at = now()
            ${sealed === undefined ? sql`` : sql`, ${secretAssignments(sql, sealed)}`}
          where id = ${id} returning ${columns}`)
      }).pipe(committing(sql)),

    /** Deletes a provider with the sessions of those whom it has signed in. */
    remove: Effect.fnUntraced(function* (id: SignInProviderId) {
      const organization = yield* CurrentOrganization
      const gone = yield* decodeName(sql`
        delete from sign_in_providers where id = ${id} and organization_id = ${organization} returning name`)
      yield* auditing.record(sql, {
        organization,
        action: "sign_in_provider.deleted",
        target: id,
        before: concealed(gone),
      })
    }, committing(sql)),

    /**
     * Finds a provider of any organization with its secret, which is empty where it cannot be decrypted: the provider
     * then refuses this server. Undefined where there is none.
     */
    find: Effect.fnUntraced(function* (id: SignInProviderId) {
      const where = sql`id = ${id} and organization_id in (select id from organizations where deleted_at is null)`
      const [provider] = yield* decodeProviders(system`select ${columns} from sign_in_providers where ${where}`)
      const [row] = yield* decodeSecrets(system`
        select ${sql.literal(SECRET_COLUMNS)} from sign_in_providers where ${where}`)
      if (provider === undefined || row === undefined) return undefined
      const secret = yield* openSecret(secrets, row, providerSecretPlace(row)).pipe(
        Effect.catchTag("SecretUnreadable", ({ key, why }) =>
          Effect.as(
            Effect.logWarning("The secret of a sign-in provider cannot be decrypted", { id, key, why }),
            Redacted.make(""),
          ),
        ),
      )
      return { ...provider, secret }
    }, withoutSqlErrors),

    /** Encrypts the secrets of all organizations as `sealRows` does. */
    sealAll: sealSecrets(system, secrets, "sign_in_providers", providerSecretPlace),
  }
}) {}

/** The place for which the secret of a provider is encrypted. */
export const providerSecretPlace = ({ id, organization_id }: Record<"id" | "organization_id", string>) => [
  "sign_in_providers.secret",
  organization_id,
  id,
]

/** The fields that the audit log compares. */
const auditedOf = (content: ProviderContent): Schema.JsonObject =>
  Struct.pick(content, ["name", "issuer", "client_id", "roles_claim", "role_mappings"])
