import { Schema } from "effect"
import { ApiKeyId, ChatbotId, OrganizationId } from "../Ids.ts"
import { Scope } from "./ApiKey.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/** Credential that signs in at the console: an API key, or the one-time link of the first start. */
export const SignIn = Schema.Struct({
  key: Schema.optionalKey(textBetween(1, 256).annotate({ description: "An API key. Either this or `link`." })),
  link: Schema.optionalKey(
    textBetween(1, 256).annotate({
      description: "What follows `#sign-in=` in the link that the first start has shown. It signs in once.",
    }),
  ),
}).check(
  Schema.makeFilter(({ key, link }) =>
    (key === undefined) === (link === undefined) ? { path: ["key"], issue: "Expected either key or link" } : undefined,
  ),
)
export type SignIn = typeof SignIn.Type

/** Session at the console: the API key that is signed in, without its secret, and what it may do. */
export const ConsoleSession = Schema.Struct({
  api_key: Schema.Struct({
    id: ApiKeyId,
    name: Schema.String,
    prefix: Schema.String.annotate({ description: "The first characters of the key." }),
    last_four: Schema.String,
    expires_at: Schema.NullOr(Timestamp),
  }),
  organization: Schema.Struct({ id: OrganizationId, name: Schema.String, is_operator: Schema.Boolean }),
  scopes: Schema.Array(Scope),
  chatbot_id: Schema.NullOr(ChatbotId).annotate({
    description: "The only chatbot that the key serves, or null for every chatbot of its organization.",
  }),
  is_operator: Schema.Boolean.annotate({
    description: "Whether the key has the scope `operator`, and reaches every organization.",
  }),
}).annotate({
  identifier: "ConsoleSession",
  examples: [
    {
      api_key: {
        id: ApiKeyId.make("01a1f949-5b33-72c9-a523-091829dc59a0"),
        name: "Back office",
        prefix: "prl_4kTz",
        last_four: "9QxA",
        expires_at: null,
      },
      organization: {
        id: OrganizationId.make("01a1f948-e63d-74f8-9014-79ea4912cce5"),
        name: "Example Ltd",
        is_operator: false,
      },
      scopes: ["chatbots:read", "conversations:read"],
      chatbot_id: null,
      is_operator: false,
    },
  ],
})
export type ConsoleSession = typeof ConsoleSession.Type
