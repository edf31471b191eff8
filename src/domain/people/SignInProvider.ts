import { Schema } from "effect"
import { boundedList } from "../schema/Bounded.ts"
import { idOf } from "../Ids.ts"
import { HttpUrl } from "../schema/HttpUrl.ts"
import { Name, textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { PersonRole } from "./Role.ts"

const MAPPINGS_MAX_COUNT = 200

export const SignInProviderId = idOf("a sign-in provider").pipe(Schema.brand("SignInProviderId"))
export type SignInProviderId = typeof SignInProviderId.Type

/** Role that people have whose claim has a value. */
export const RoleMapping = Schema.Struct({
  value: textBetween(1, 500).annotate({ description: "A value of the claim, such as the name of a group." }),
  ...PersonRole.fields,
})
export type RoleMapping = typeof RoleMapping.Type

const fields = {
  name: Name.annotate({ description: "As the form to sign in shows it." }),
  issuer: HttpUrl.annotate({
    description: "The address whose `/.well-known/openid-configuration` describes the provider.",
    examples: ["https://login.example.com"],
  }),
  client_id: textBetween(1, 500),
  roles_claim: textBetween(1, 200).annotate({
    description:
      "The claim of the ID token or of the user info that names groups or roles: a text, or a list of texts.",
    examples: ["groups"],
  }),
  role_mappings: boundedList(
    RoleMapping,
    { maximum: MAPPINGS_MAX_COUNT },
    {
      description: "Roles by values of the claim. Who has none of these values, and no role by hand, may not sign in.",
    },
  ),
}

/** A server that signs the people of an organization in by OpenID Connect. */
export const SignInProvider = Schema.Struct({
  id: SignInProviderId,
  ...fields,
  redirect_uri: Schema.String.annotate({ description: "What the provider's client has to allow." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "SignInProvider" })
export type SignInProvider = typeof SignInProvider.Type

const client_secret = textBetween(1, 2_000).annotate({ description: "Never shown again." })

export const SignInProviderInput = Schema.Struct({
  id: Schema.optionalKey(
    SignInProviderId.annotate({
      description:
        "A new UUID, for callers that need to know the `redirect_uri` before: `/api/console/providers/{id}/callback`. Default: the server makes one.",
    }),
  ),
  ...fields,
  client_secret,
})
export type SignInProviderInput = typeof SignInProviderInput.Type

export const SignInProviderPatch = Schema.Struct({
  name: Schema.optionalKey(fields.name),
  client_id: Schema.optionalKey(fields.client_id),
  client_secret: Schema.optionalKey(client_secret),
  roles_claim: Schema.optionalKey(fields.roles_claim),
  role_mappings: Schema.optionalKey(fields.role_mappings),
})
export type SignInProviderPatch = typeof SignInProviderPatch.Type
