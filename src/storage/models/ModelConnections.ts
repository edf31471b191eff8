import { Effect, Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { concealed } from "../../domain/audit/AuditChange.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { OrganizationId } from "../../domain/Ids.ts"
import { keyHintOf, ModelConnection, type ModelConnectionId } from "../../domain/models/ModelConnection.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { decodeRowOr, decodeRows, onlyRow, TimestampColumn } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { openSecret, SecretColumns, sealSecret, sealSecrets, secretAssignments } from "../sql/SealedRows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"

/** The most connections of an organization: each is asked for its models where these are listed. */
const CONNECTIONS_MAX = 50

/** What never changes of a connection: its key is for this server alone. */
export const ConnectionContent = Schema.Struct({
  ...Struct.pick(ModelConnection.fields, ["name", "api", "base_url"]),
  /** Whether the server's operator has made it, so that it may be in a private network. */
  is_trusted: Schema.Boolean,
})
export type ConnectionContent = typeof ConnectionContent.Type

/** A connection as its row has it, without its key. */
export const StoredConnection = Schema.Struct({
  ...ConnectionContent.fields,
  id: ModelConnection.fields.id,
  organization_id: OrganizationId,
  key_hint: ModelConnection.fields.key_hint,
  version: Schema.BigInt,
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})
export type StoredConnection = typeof StoredConnection.Type

/** A connection with its key, which is undefined where its server needs none, or where the key cannot be decrypted. */
export interface OpenConnection extends StoredConnection {
  readonly apiKey: Redacted.Redacted | undefined
}

const COLUMNS = "id, organization_id, name, api, base_url, is_trusted, key_hint, version, created_at, updated_at"

const connectionNotFound = new NotFound({ detail: "There is no such model connection." })
const enough = new Conflict({
  detail: `The organization has ${CONNECTIONS_MAX} model connections, and may not have more.`,
})

const decodeConnections = decodeRows(StoredConnection)
const decodeConnection = decodeRowOr(StoredConnection, connectionNotFound)
const decodeOpen = decodeRows(Schema.Struct({ ...StoredConnection.fields, ...SecretColumns.fields }))

/** The table `model_connections`, within the current organization unless a method says otherwise. */
export class ModelConnections extends Service<ModelConnections>()(
  "parley/storage/models/ModelConnections",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql
    const secrets = yield* Secrets
    const auditing = yield* Auditing
    const columns = sql.literal(COLUMNS)

    const sealedKey = Effect.fnUntraced(function* (
      key: Redacted.Redacted | undefined,
      owner: Record<"id" | "organization_id", string>,
    ) {
      const sealed = yield* sealSecret(secrets, key ?? Redacted.make(""), connectionSecretPlace(owner))
      return { sealed, key_hint: key === undefined ? null : keyHintOf(Redacted.value(key)) }
    })

    return {
      /** Fails with `Conflict` when the name is taken, or the organization has as many connections as it may have. */
      insert: Effect.fnUntraced(function* (
        id: ModelConnectionId,
        content: ConnectionContent,
        key: Redacted.Redacted | undefined,
      ) {
        const organization = yield* CurrentOrganization
        const owner = { id, organization_id: organization }
        const { key_hint, sealed } = yield* sealedKey(key, owner)
        const others = yield* decodeConnections(
          sql`select ${columns} from model_connections where organization_id = ${organization}`,
        )
        if (others.length >= CONNECTIONS_MAX) return yield* enough
        const inserted = yield* decodeConnections(sql`
          insert into model_connections ${sql.insert({ ...owner, ...content, key_hint, ...sealed })}
          on conflict do nothing returning ${columns}`)
        if (inserted.length === 0)
          return yield* new Conflict({ detail: `There is a model connection ${content.name} already.` })
        yield* auditing.record(sql, {
          organization,
          action: "model_connection.created",
          target: id,
          after: concealed({ ...content, key_hint }),
        })
        return yield* onlyRow(inserted)
      }, committing(sql)),

      /** Lists the connections by name. */
      list: Effect.flatMap(CurrentOrganization, (organization) =>
        withoutSqlErrors(
          decodeConnections(sql`
            select ${columns} from model_connections where organization_id = ${organization} order by name`),
        ),
      ),

      get: Effect.fnUntraced(function* (id: ModelConnectionId) {
        return yield* decodeConnection(sql`
          select ${columns} from model_connections where id = ${id} and organization_id = ${yield* CurrentOrganization}`)
      }, withoutSqlErrors),

      /** Replaces the key of a connection, under its row's lock: null takes it away, and undefined leaves it. */
      replaceKey: <E, R>(
        id: ModelConnectionId,
        change: (connection: StoredConnection) => Effect.Effect<string | null | undefined, E, R>,
      ) =>
        Effect.gen(function* () {
          const organization = yield* CurrentOrganization
          const before = yield* decodeConnection(sql`
            select ${columns} from model_connections where id = ${id} and organization_id = ${organization} for update`)
          const key = yield* change(before)
          if (key === undefined) return before
          const { key_hint, sealed } = yield* sealedKey(key === null ? undefined : Redacted.make(key), before)
          yield* auditing.record(sql, {
            organization,
            action: "model_connection.updated",
            target: id,
            before: concealed({ key_hint: before.key_hint }),
            after: concealed({ key_hint }),
          })
          return yield* decodeConnection(sql`
            update model_connections set key_hint = ${key_hint}::text, ${secretAssignments(sql, sealed)},
              version = version + 1, updated_at = now()
            where id = ${id} returning ${columns}`)
        }).pipe(committing(sql)),

      remove: Effect.fnUntraced(function* (id: ModelConnectionId) {
        const organization = yield* CurrentOrganization
        const { base_url, name } = yield* decodeConnection(sql`
          delete from model_connections where id = ${id} and organization_id = ${organization} returning ${columns}`)
        yield* auditing.record(sql, {
          organization,
          action: "model_connection.deleted",
          target: id,
          before: concealed({ name, base_url }),
        })
      }, committing(sql)),

      /** The connections with their keys, by name. */
      opened: Effect.gen(function* () {
        const rows = yield* decodeOpen(sql`
          select ${sql.literal(`${COLUMNS}, secret, sealed, sealed_by`)} from model_connections
          where organization_id = ${yield* CurrentOrganization} order by name`)
        return yield* Effect.forEach(rows, ({ secret, sealed, sealed_by, ...row }) =>
          openSecret(secrets, { secret, sealed, sealed_by }, connectionSecretPlace(row)).pipe(
            Effect.catchTag("SecretUnreadable", ({ key, why }) =>
              Effect.as(
                Effect.logWarning("The key of a model connection cannot be decrypted", { id: row.id, key, why }),
                Redacted.make(""),
              ),
            ),
            Effect.map((key): OpenConnection => ({ ...row, apiKey: Redacted.value(key) === "" ? undefined : key })),
          ),
        )
      }).pipe(withoutSqlErrors),

      /** Encrypts the keys of all organizations as `sealRows` does. */
      sealAll: sealSecrets(system, secrets, "model_connections", connectionSecretPlace),
    }
  },
) {}

/** The place for which the key of a connection is encrypted. */
export const connectionSecretPlace = ({ id, organization_id }: Record<"id" | "organization_id", string>) => [
  "model_connections.secret",
  organization_id,
  id,
]
