import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { expect } from "bun:test"
import { Schema } from "effect"
import { Invitation, Person } from "../../src/domain/people/Person.ts"
import type { PersonRole, Role } from "../../src/domain/people/Role.ts"
import { type Client, read, type Reply } from "./Client.ts"

/** The headers of a request from a page of the server's own. */
export const ofOurPages = { "sec-fetch-site": "same-origin" }

/* CBOR, as far as credentials need it: integers, bytes, texts and maps. */

const head = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.of((major << 5) | value)
    : value < 256
      ? Buffer.of((major << 5) | 24, value)
      : Buffer.of((major << 5) | 25, value >> 8, value & 255)

type Cbor = number | string | Uint8Array | ReadonlyArray<readonly [Cbor, Cbor]>

const cbor = (value: Cbor): Buffer => {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const sha256 = (text: string | Uint8Array): Buffer => createHash("sha256").update(text).digest()
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** What a test falsifies of a credential. */
interface Falsified {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** Whether somebody was there. */
  readonly isPresent?: boolean
}

/** Options of a credential, as the server gives them. */
export const Options = Schema.Struct({ challenge: Schema.String })

/** An authenticator with one passkey, as a browser has it, in software. */
export class VirtualPasskey {
  readonly id = base64url(crypto.getRandomValues(new Uint8Array(16)))
  readonly privateKey: KeyObject
  private readonly publicKey: KeyObject
  /** How often it was used, as it says itself. */
  counter = 0

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    this.privateKey = privateKey
    this.publicKey = publicKey
  }

  /** Makes the credential, for the page `origin`. */
  create(options: typeof Options.Type, origin: string, falsified: Falsified = {}) {
    const { x = "", y = "" } = this.publicKey.export({ format: "jwk" })
    const key = cbor([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ])
    const id = Buffer.from(this.id, "base64url")
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, key])
    const attestationObject = cbor([
      ["fmt", "none"],
      ["attStmt", []],
      ["authData", Buffer.concat([this.authData(origin, 0x40, falsified), attested])],
    ])
    return {
      ...this.head(),
      response: {
        clientDataJSON: base64url(clientData("webauthn.create", options.challenge, origin, falsified)),
        attestationObject: base64url(attestationObject),
        transports: ["internal"],
      },
    }
  }

  /** Signs a challenge, for the page `origin`. */
  answer(options: typeof Options.Type, origin: string, falsified: Falsified = {}) {
    this.counter++
    const authenticatorData = this.authData(origin, 0, falsified)
    const client = clientData("webauthn.get", options.challenge, origin, falsified)
    return {
      ...this.head(),
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(sign("sha256", Buffer.concat([authenticatorData, sha256(client)]), this.privateKey)),
      },
    }
  }

  private head() {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {} }
  }

  private authData(origin: string, flags: number, { isPresent = true, rpId }: Falsified): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const all = flags | (isPresent ? 1 : 0)
    return Buffer.concat([sha256(rpId ?? new URL(origin).hostname), Buffer.of(all), counter])
  }
}

const clientData = (
  type: string,
  challenge: string,
  origin: string,
  { challenge: otherChallenge, origin: otherOrigin, type: otherType }: Falsified,
): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: otherType ?? type,
      challenge: otherChallenge ?? challenge,
      origin: otherOrigin ?? origin,
      crossOrigin: false,
    }),
  )

/** A browser that keeps the cookies of the server. */
export class PersonBrowser {
  readonly cookies = new Map<string, string>()
  private readonly client: Client

  constructor(client: Client) {
    this.client = client.withKey(undefined)
  }

  get headers(): Record<string, string> {
    return { ...ofOurPages, cookie: Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join("; ") }
  }

  async post(path: string, json: object): Promise<Reply> {
    return this.keep(await this.client.post(path, { json, headers: this.headers }))
  }

  async get(path: string): Promise<Reply> {
    return this.keep(await this.client.get(path, { headers: this.headers }))
  }

  async patch(path: string, json: object): Promise<Reply> {
    return this.keep(await this.client.patch(path, { json, headers: this.headers }))
  }

  async delete(path: string): Promise<Reply> {
    return this.keep(await this.client.delete(path, { headers: this.headers }))
  }

  private keep(reply: Reply): Reply {
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === "") this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return reply
  }
}

export const Invited = Schema.Struct({ person: Person, invitation: Invitation })

export const tokenOf = ({ link }: Invitation): string => link.split("#invitation=")[1] ?? ""

export const everywhere = (role: Role): PersonRole => ({ role, chatbot_id: null })

/** A person who has accepted the invitation, in a browser with a passkey. */
export interface SignedIn {
  readonly id: string
  readonly browser: PersonBrowser
  readonly passkey: VirtualPasskey
}

const WithOptions = Schema.Struct({ options: Options })

/** Accepts an invitation by a new passkey in a new browser. */
export const accept = async (client: Client, invitation: Invitation, origin = client.url) => {
  const browser = new PersonBrowser(client)
  const token = tokenOf(invitation)
  const { options } = read(WithOptions, await browser.post("/api/console/invitations/options", { token }))
  const passkey = new VirtualPasskey()
  const reply = await browser.post("/api/console/invitations", { token, credential: passkey.create(options, origin) })
  return { browser, passkey, reply }
}

/** Invites a person with these roles by a key of the organization, and accepts the invitation. */
export const newPerson = async (client: Client, roles: ReadonlyArray<PersonRole>, name = "Ada"): Promise<SignedIn> => {
  const { invitation, person } = read(Invited, await client.post("/api/admin/people", { json: { name, roles } }))
  const { browser, passkey, reply } = await accept(client, invitation)
  expect(reply.status).toBe(200)
  return { id: person.id, browser, passkey }
}
