import { Schema } from "effect"
import { ApiKeyId, ChatbotId, OrganizationId, PersonId } from "../Ids.ts"
import { PersonRole } from "./Role.ts"
import { Scope } from "../keys/ApiKey.ts"
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

/** Session at the console: the person who is signed in, or the API key without its secret, and what they may do. */
export const ConsoleSession = Schema.Struct({
  api_key: Schema.NullOr(
    Schema.Struct({
      id: ApiKeyId,
      name: Schema.String,
      prefix: Schema.String.annotate({ description: "The first characters of the key." }),
      last_four: Schema.String,
      expires_at: Schema.NullOr(Timestamp),
    }),
  ).annotate({ description: "Null for a person." }),
  person: Schema.NullOr(
    Schema.Struct({
      id: PersonId,
      name: Schema.String,
      email: Schema.NullOr(Schema.String),
      avatar: Schema.NullOr(Schema.String),
    }),
  ).annotate({ description: "Null for an API key." }),
  roles: Schema.Array(PersonRole).annotate({
    description: "Of the person, those that a claim gives too; empty for an API key.",
  }),
  organization: Schema.Struct({ id: OrganizationId, name: Schema.String, is_operator: Schema.Boolean }),
  scopes: Schema.Array(Scope).annotate({
    description:
      "In the organization. For a person whose roles are all of single chatbots: those for each of these chatbots.",
  }),
  chatbot_scopes: Schema.Array(Schema.Struct({ chatbot_id: ChatbotId, scopes: Schema.Array(Scope) })).annotate({
    description: "What a person may do with single chatbots, beside what they may do with all.",
  }),
  chatbot_id: Schema.NullOr(ChatbotId).annotate({
    description:
      "The only chatbot that the key serves, or null for every chatbot of its organization, and for a person.",
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
      person: null,
      roles: [],
      scopes: ["chatbots:read", "conversations:read"],
      chatbot_scopes: [],
      chatbot_id: null,
      is_operator: false,
    },
  ],
})
export type ConsoleSession = typeof ConsoleSession.Type
