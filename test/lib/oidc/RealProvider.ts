import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { Provider } from "oidc-provider"

/** Claims of somebody whom the provider knows. */
export type Account = Record<string, unknown>

export const realClient = { client_id: "parley", client_secret: "the client's secret, with + and %" }

/** The program `oidc-provider`, with its own forms to log in and to consent. */
export interface RealProvider {
  readonly issuer: string
  /** The people whom it knows, by what they type into its form. One that is missing is deactivated. */
  readonly people: Map<string, Account>
  /** Registers the client with the address to which it may send browsers back. */
  readonly register: (redirectUri: string) => void
  /** Replaces the key that signs. */
  readonly rotateKey: () => void
  /** The number of requests since it was last broken. */
  readonly requests: () => number
  /** Answers every request with this status from now on; undefined ends that. */
  readonly breakDown: (status: number | undefined) => void
}

const newKey = (kid: string) => ({
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }),
  kid,
  alg: "RS256",
  use: "sig",
})

/** A store that outlives the program, as its database would. */
const makeAdapter = () => {
  const rows = new Map<string, Record<string, unknown>>()
  return class {
    readonly name: string
    constructor(name: string) {
      this.name = name
    }
    private at(id: string) {
      return `${this.name}:${id}`
    }
    async upsert(id: string, payload: Record<string, unknown>) {
      rows.set(this.at(id), payload)
    }
    async find(id: string) {
      return rows.get(this.at(id))
    }
    async findByUid(uid: string) {
      return Array.from(rows).find(([at, { uid: own }]) => at.startsWith(`${this.name}:`) && own === uid)?.[1]
    }
    async destroy(id: string) {
      rows.delete(this.at(id))
    }
    async consume(id: string) {
      Object.assign(rows.get(this.at(id)) ?? {}, { consumed: Math.floor(Date.now() / 1_000) })
    }
    async revokeByGrantId(grantId: string) {
      for (const [at, row] of rows) if (row["grantId"] === grantId) rows.delete(at)
    }
  }
}

/** Starts the program on a port of this machine, until the scope closes. */
export const realProvider = Effect.gen(function* () {
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, Account>()
  const adapter = makeAdapter()
  const redirectUris: Array<string> = []
  let broken: number | undefined
  let keys = [newKey("first")]
  let answer: ReturnType<Provider["callback"]> | undefined
  const start = () => {
    answer = new Provider(issuer, {
      adapter,
      jwks: { keys },
      clients: [
        {
          ...realClient,
          redirect_uris: redirectUris,
          post_logout_redirect_uris: redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      claims: { openid: ["sub"], profile: ["name", "picture"], email: ["email"], groups: ["groups"] },
      cookies: { keys: ["a key for cookies of this test"] },
      findAccount: (_: unknown, accountId: string) => {
        const claims = people.get(accountId)
        return claims && { accountId, claims: () => ({ sub: accountId, ...claims }) }
      },
      issueRefreshToken: () => true,
      pkce: { required: () => true },
      rotateRefreshToken: true,
    }).callback()
  }
  let requests = 0
  server.on("request", (request, response) => {
    requests++
    if (broken === undefined && answer !== undefined) answer(request, response)
    else response.writeHead(broken ?? 503).end()
  })
  return {
    issuer,
    people,
    requests: () => requests,
    register: (redirectUri) => {
      redirectUris.push(redirectUri)
      start()
    },
    rotateKey: () => {
      keys = [newKey(crypto.randomUUID())]
      start()
    },
    breakDown: (status) => {
      requests = 0
      broken = status
    },
  } satisfies RealProvider
})
