import { Schema, Struct } from "effect"

/** Reasons why a provider's sign-in ends without a session, by the code that the console's address then has. */
export const signInFailures = {
  expired: "The sign-in was begun in another browser, has been used before, or took more than ten minutes.",
  refused: "The provider has not signed the person in, such as because they cancelled.",
  unreachable: "The provider could not be reached, or did not answer in time.",
  invalid: "The provider's answer cannot be trusted. The server's log says what is wrong with it.",
  algorithm:
    "The provider's ID token is signed by HS256, which its description does not list, or its user info is, or one of them is signed by HS384 or HS512.",
  short_secret: "The provider's ID token is signed by HS256 with a client secret of less than 32 bytes.",
  subject: "The provider names the person by a number, where OpenID Connect has a text.",
  user_info: "The provider refuses its user info (401, 403, 404), and its ID token lacks the claim of roles.",
  no_role: "The provider knows the person, but no role is mapped to them, and nobody has given them one.",
  removed: "The person was removed from the organization.",
  invitation: "The invitation was accepted before, is too old, or was for somebody else.",
} as const

export type SignInFailureCode = keyof typeof signInFailures

/** A provider's sign-in ends without a session. */
export class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", {
  code: Schema.Literals(Struct.keys(signInFailures)),
  /** Explains it to the operator, in the server's log. */
  detail: Schema.optionalKey(Schema.String),
}) {}
