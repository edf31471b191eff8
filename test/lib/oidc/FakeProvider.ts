import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { Effect } from "effect"
import { listening } from "../Listening.ts"

export const fakeClient = { client_id: "parley", client_secret: "a secret of more than thirty-two bytes" }

type Claims = Record<string, unknown>

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const signs = {
  RS256: (text: string, { privateKey }: Keys) => sign("sha256", Buffer.from(text), privateKey).toString("base64url"),
  /** Without a secret, the signature of somebody who takes the public key, which all know, for one. */
  HS256: (text: string, { publicKey }: Keys, secret: string | undefined) =>
    createHmac("sha256", secret ?? publicKey.export({ type: "spki", format: "pem" }))
      .update(text)
      .digest("base64url"),
  none: () => "",
}
type Algorithm = keyof typeof signs
type Keys = ReturnType<typeof newKeys>

const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 })

/**
 * A provider that speaks the protocol and says what a test wants, also what a real one would not. Each field holds for the
 * next answers.
 */
export class FakeProvider {
  issuer = ""
  /** The keys that sign, and those that it publishes. */
  keys = newKeys()
  published = this.keys
  algorithm: Algorithm = "RS256"
  /** What signs by HS256. */
  secret: string | undefined
  /** Added to the claims of id tokens, of user infos, and to the description of the provider. */
  claims: Claims = {}
  userInfo: Claims = {}
  metadata: Claims = {}
  nonce = ""
  subject = "somebody"
  /** Answers a path in place of the provider. */
  readonly answers = new Map<string, () => Response | Promise<Response>>()
  /** The paths that were asked for. */
  readonly asked: Array<string> = []
  readonly bodies: Array<string> = []

  /** An id token as it would be given now. */
  idToken(): string {
    const now = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.issuer, sub: this.subject, aud: "parley", iat: now, exp: now + 60, nonce: this.nonce }
    return this.signed({ ...claims, ...this.claims })
  }

  /** A token with these claims, as it would be signed now. */
  signed(claims: Claims): string {
    const text = `${encoded({ alg: this.algorithm, kid: "one" })}.${encoded(claims)}`
    return `${text}.${signs[this.algorithm](text, this.keys, this.secret)}`
  }

  /** Everything as a good provider has it, with new keys. */
  reset(): void {
    this.keys = newKeys()
    this.published = this.keys
    this.algorithm = "RS256"
    this.secret = undefined
    this.claims = {}
    this.userInfo = {}
    this.metadata = {}
    this.answers.clear()
    this.asked.length = 0
    this.bodies.length = 0
  }

  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    this.asked.push(pathname)
    this.bodies.push(await request.text())
    const instead = this.answers.get(pathname)
    if (instead !== undefined) return instead()
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/auth`,
          token_endpoint: `${this.issuer}/token`,
          userinfo_endpoint: `${this.issuer}/me`,
          jwks_uri: `${this.issuer}/keys`,
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          ...this.metadata,
        })
      case "/keys": {
        const jwk = this.published.publicKey.export({ format: "jwk" })
        return Response.json({ keys: [{ ...jwk, kid: "one", use: "sig" }] })
      }
      case "/token":
        return Response.json({
          access_token: "access",
          token_type: "Bearer",
          refresh_token: "refresh",
          id_token: this.idToken(),
        })
      case "/me":
        return Response.json({ sub: this.subject, ...this.userInfo })
      default:
        return new Response(null, { status: 404 })
    }
  }
}

/** Starts a fake provider on a port of this machine, until the scope closes. */
export const fakeProvider = Effect.gen(function* () {
  const provider = new FakeProvider()
  provider.issuer = yield* listening((request) => provider.answer(request))
  return provider
})
