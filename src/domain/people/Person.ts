import { Schema } from "effect"
import { boundedList } from "../schema/Bounded.ts"
import { PersonId } from "../Ids.ts"
import { HttpUrl } from "../schema/HttpUrl.ts"
import { Name, textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { PersonRole } from "./Role.ts"

/** The most roles of one person: one for each chatbot of a large team. */
const ROLES_MAX_COUNT = 200

export const PersonState = Schema.Literals(["invited", "active", "removed"])

const Roles = boundedList(
  PersonRole,
  { minimum: 1, maximum: ROLES_MAX_COUNT },
  { description: "Set by hand. Roles that a claim gives come and go with the claim, and are not among them." },
)

/** What a provider says about a person. Everything but the subject is for display, or absent. */
export interface Profile {
  /** Who it is, for the provider's issuer: never an e-mail address. */
  readonly issuer: string
  readonly subject: string
  readonly name: string | undefined
  readonly email: string | undefined
  readonly avatar: string | undefined
}

/** A person of an organization. */
export const Person = Schema.Struct({
  id: PersonId,
  name: Schema.String,
  email: Schema.NullOr(Schema.String).annotate({ description: "Where they are told; it never says who they are." }),
  avatar: Schema.NullOr(Schema.String).annotate({ description: "Address of a picture." }),
  state: PersonState.annotate({
    description:
      "`invited`: the invitation is not accepted yet. `removed`: may not sign in any more; what they did keeps their name.",
  }),
  roles: Schema.Array(PersonRole).annotate({ description: "Set by hand." }),
  claimed_roles: Schema.Array(PersonRole).annotate({ description: "Given by a claim at the latest sign-in or check." }),
  provider_id: Schema.NullOr(Schema.String).annotate({
    description: "The provider by which they sign in; null for passkeys.",
  }),
  passkeys: Schema.Int.annotate({ description: "How many passkeys they have." }),
  created_at: Timestamp,
  last_seen_at: Schema.NullOr(Timestamp),
}).annotate({ identifier: "Person" })
export type Person = typeof Person.Type

export const PersonInput = Schema.Struct({
  name: Name,
  email: Schema.optionalKey(Schema.NullOr(textBetween(3, 320))),
  roles: Roles,
  send_email: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the link is sent to the e-mail address, where the server sends e-mail. Default: true.",
    }),
  ),
})
export type PersonInput = typeof PersonInput.Type

export const PersonPatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  email: Schema.optionalKey(Schema.NullOr(textBetween(3, 320))),
  avatar: Schema.optionalKey(Schema.NullOr(HttpUrl.annotate({ examples: ["https://example.com/ada.png"] }))),
  roles: Schema.optionalKey(Roles),
})
export type PersonPatch = typeof PersonPatch.Type

/** A browser in which a person is signed in. */
export const PersonSession = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
  address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  is_current: Schema.Boolean.annotate({ description: "Whether it is the session that asks." }),
}).annotate({ identifier: "PersonSession" })
export type PersonSession = typeof PersonSession.Type

/** An invitation, whose link is shown once. */
export const Invitation = Schema.Struct({
  link: Schema.String.annotate({ description: "Opens the console and makes the person's account there, once." }),
  expires_at: Timestamp,
  email: Schema.NullOr(Schema.Literals(["sent", "failed"])).annotate({
    description: "Whether the link was sent to the person's address; null where it was not to be, or could not.",
  }),
}).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type
