import { createHmac, timingSafeEqual } from "node:crypto"
import { Result, Schema } from "effect"
import { findEmail } from "../chat/EmailAddress.ts"
import type { ChatbotId } from "../Ids.ts"
import { textBetween, textUpTo } from "../schema/Text.ts"
import type { Identity } from "./Visitor.ts"

/*
 * Identity tokens: JSON Web Tokens (RFC 7519) by which the customer's own server tells who a visitor is. They are signed
 * with HMAC-SHA256 (`HS256`) and nothing else: a token does not choose how it is checked.
 */

/** Longest identity token, in characters. */
export const IDENTITY_TOKEN_MAX_LENGTH = 4_096
/** Seconds by which the clocks of the two servers may differ. */
const CLOCK_TOLERANCE = 60
/** The most seconds from now until a token expires. */
const LIFETIME_MAX = 24 * 60 * 60

const Seconds = Schema.Number.check(Schema.isFinite())

const Claims = Schema.Struct({
  aud: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
  sub: textBetween(1, 255),
  exp: Seconds,
  nbf: Schema.optionalKey(Seconds),
  iat: Schema.optionalKey(Seconds),
  email: Schema.optionalKey(textUpTo(254)),
  name: Schema.optionalKey(textUpTo(200)),
})

const Header = Schema.Struct({
  alg: Schema.Literal("HS256"),
  typ: Schema.optionalKey(Schema.String),
  crit: Schema.optionalKey(Schema.Never),
  b64: Schema.optionalKey(Schema.Never),
})

const decodeHeader = Schema.decodeUnknownResult(Schema.fromJsonString(Header))
const decodeClaims = Schema.decodeUnknownResult(Schema.fromJsonString(Claims))

/** Identity in a valid token, with the end and the signer of the token. */
export interface SignedIdentity extends Identity {
  /** The end of the token, in seconds since 1970, with what the clocks may differ. */
  readonly until: number
  /** The index of the secret that has signed it. */
  readonly signer: number
}

/** The bytes of base64url, which has one spelling for them; undefined for any other text. */
const bytesOf = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64url")
  return bytes.toString("base64url") === text ? bytes : undefined
}

const textOf = (part: string): string | undefined => bytesOf(part)?.toString()

const isSignedWith = (secret: string, signed: string, signature: Buffer): boolean => {
  const expected = createHmac("sha256", secret).update(signed).digest()
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

/** Reads the claims of a token whose signature is right. */
const readClaims = (
  claims: string | undefined,
  { chatbot, now }: { readonly chatbot: ChatbotId; readonly now: number },
): Result.Result<Omit<SignedIdentity, "signer">, string> => {
  const decoded = decodeClaims(claims)
  if (Result.isFailure(decoded)) return Result.fail(`its claims are not as expected. ${decoded.failure.message}`)
  const { aud, email, exp, iat, name, nbf, sub } = decoded.success
  const audiences = typeof aud === "string" ? [aud] : aud
  if (!audiences.some((one) => one.toLowerCase() === chatbot)) return Result.fail("`aud` is not the id of this chatbot")
  if (exp <= now - CLOCK_TOLERANCE) return Result.fail("it has expired")
  if (exp > now + LIFETIME_MAX + CLOCK_TOLERANCE) return Result.fail("`exp` is more than 24 hours ahead")
  if ((nbf ?? now) > now + CLOCK_TOLERANCE) return Result.fail("it does not hold yet: `nbf` is still to come")
  if ((iat ?? now) > now + CLOCK_TOLERANCE) return Result.fail("`iat` is still to come")
  if (email !== undefined && findEmail(email) !== email) return Result.fail("`email` is not an e-mail address")
  return Result.succeed({
    sub,
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    until: exp + CLOCK_TOLERANCE,
  })
}

/**
 * Checks an identity token, and returns what it says, or why it is refused. What it claims is looked at only once its
 * signature is right.
 *
 * @param expected.secrets the identity secrets of the chatbot, any of which may have signed the token
 * @param expected.now seconds since 1970
 */
export const readIdentityToken = (
  token: string,
  expected: { readonly chatbot: ChatbotId; readonly secrets: ReadonlyArray<string>; readonly now: number },
): Result.Result<SignedIdentity, string> => {
  if (token.length > IDENTITY_TOKEN_MAX_LENGTH) {
    return Result.fail(`it is longer than ${IDENTITY_TOKEN_MAX_LENGTH} characters`)
  }
  const [header = "", claims = "", signature = "", ...rest] = token.split(".")
  const signatureBytes = bytesOf(signature)
  if (rest.length > 0 || signatureBytes === undefined) return Result.fail("it is not a JSON Web Token")
  if (Result.isFailure(decodeHeader(textOf(header))))
    return Result.fail("its header is not that of a token with `alg` HS256")
  const signer = expected.secrets.findIndex((secret) => isSignedWith(secret, `${header}.${claims}`, signatureBytes))
  if (signer === -1) return Result.fail("its signature is not made with an identity secret of this chatbot")
  return Result.map(readClaims(textOf(claims), expected), (read) => ({ ...read, signer }))
}
