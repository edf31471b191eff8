import { allScopes, KEY_ENTROPY_BYTES, makeKey, type Scope } from "../../../src/domain/keys/ApiKey.ts"
import { ApiKeyId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Client } from "../Client.ts"
import type { TestServer } from "../TestServer.ts"
import { type ApiDocument, readApiDocument } from "./ApiDocument.ts"
import { type Belongings, makeBelongings, makeMember, type Member } from "./Belongings.ts"

/** The organizations and keys whose requests are made. */
export interface World {
  readonly server: TestServer
  readonly document: ApiDocument
  readonly attacker: Member
  readonly victim: Member
  /** Another chatbot of the attacker's organization, which some keys are bound to. */
  readonly sibling: Belongings
  readonly keys: {
    readonly refused: Readonly<Record<"none" | "malformed" | "unknown" | "revoked" | "expired", Client>>
    readonly boundHere: Client
    readonly boundElsewhere: Client
    /** Clients with every scope but this one. */
    readonly lacking: ReadonlyMap<Scope, Client>
  }
}

/** Makes two organizations with something of every kind, and all kinds of keys. */
export const makeWorld = async (server: TestServer): Promise<World> => {
  const operator = server.client
  const document = readApiDocument((await operator.get("/openapi.json")).body)
  const [attacker, victim] = await Promise.all([makeMember(operator), makeMember(operator)])
  const { client, organization } = attacker
  const sibling = await makeBelongings(client, organization, `sibling${attacker.canary}`)
  const scopes = allScopes.filter((scope) => String(scope) !== "operator")
  const [expiring, revoked, boundHere, boundElsewhere] = await Promise.all(
    [undefined, undefined, attacker.own.chatbot, sibling.chatbot].map((chatbot_id) =>
      client.newKey({ scopes, ...(chatbot_id !== undefined && { chatbot_id }) }),
    ),
  )
  if (!expiring || !revoked || !boundHere || !boundElsewhere) throw new Error("There are too few keys")
  await server.query(
    SystemSql.use((sql) => sql`update api_keys set expires_at = now() where id = ${ApiKeyId.make(expiring.id)}`),
  )
  await client.delete(`/api/admin/api-keys/${revoked.id}`)
  const lacking = await Promise.all(
    scopes.map(async (scope) => {
      const limited = await client.newKey({ scopes: scopes.filter((one) => one !== scope) })
      return [scope, limited.client] as const
    }),
  )
  return {
    server,
    document,
    attacker,
    victim,
    sibling,
    keys: {
      refused: {
        none: client.withKey(undefined),
        malformed: client.withKey("prl_not-a-key"),
        unknown: client.withKey(makeKey(crypto.getRandomValues(new Uint8Array(KEY_ENTROPY_BYTES)))),
        revoked: revoked.client,
        expired: expiring.client,
      },
      boundHere: boundHere.client,
      boundElsewhere: boundElsewhere.client,
      lacking: new Map(lacking),
    },
  }
}
