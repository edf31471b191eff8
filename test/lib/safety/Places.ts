import type { ApiDocument, JsonSchema, Operation } from "./ApiDocument.ts"
import type { Kind } from "./Belongings.ts"

/*
 * Where the requests of an operation name something: in the path, the query, a header, the body or a form. The places
 * are found in the OpenAPI document. What they name is decided here, once for each name.
 */

/** What the value at a place is: a name of a kind, a name that its sender chooses, or no name at all. */
type Meaning = ReadonlyArray<Kind> | "chosen" | "none"

/** The meaning of values by the name of their place, or by operation and name where it differs. */
const meanings: Readonly<Record<string, Meaning>> = {
  organizationId: ["organization"],
  organization_id: ["organization"],
  apiKeyId: ["apiKey"],
  api_key_id: ["apiKey"],
  chatbotId: ["chatbot"],
  chatbot_id: ["chatbot"],
  documentId: ["document"],
  document_id: ["document"],
  sessionId: ["session", "sessionToken"],
  messageId: ["message"],
  message_id: ["message"],
  toolId: ["tool"],
  testId: ["test"],
  sourceId: ["source"],
  runId: ["sourceRun"],
  questionId: ["question"],
  answerId: ["cannedAnswer"],
  providerId: ["signInProvider"],
  connectionId: ["modelConnection"],
  // Whoever signs in may do so at every organization's providers.
  "GET /api/console/providers/{providerId}/sign-in providerId": "none",
  "GET /api/console/providers/{providerId}/callback providerId": "none",
  // A new one: a name that anybody's provider has is refused.
  "POST /api/admin/sign-in-providers id": "none",
  // Only the server makes topics, in the background.
  topicId: "none",
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions sourceId": ["questionSource"],
  "POST /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions sourceId": ["questionSource"],
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/export sourceId": ["questionSource"],
  "POST /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/import sourceId": ["questionSource"],
  "GET /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId} sourceId": ["questionSource"],
  "PATCH /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId} sourceId": ["questionSource"],
  "DELETE /api/external/chatbot/{chatbotId}/sources/{sourceId}/questions/{questionId} sourceId": ["questionSource"],
  "GET /api/external/chatbot/{chatbotId}/test-runs/{runId} runId": ["testRun"],
  "POST /api/external/chatbot/{chatbotId}/test-runs/{runId}/stop runId": ["testRun"],
  "GET /api/external/chatbot/{chatbotId}/test-runs/{runId}/results runId": ["testRun"],
  personId: ["person"],
  "GET /api/admin/people/{personId}/sessions sessionId": ["personSession"],
  "DELETE /api/admin/people/{personId}/sessions/{sessionId} sessionId": ["personSession"],
  // The person's own, of whom a key has none.
  "DELETE /api/console/sessions/{sessionId} sessionId": "none",
  client_id: "none",
  secretId: ["identitySecret"],
  webhookId: ["webhook"],
  deliveryId: ["delivery"],
  model: ["chatbot", "slug"],
  "POST /api/admin/models/test model": "none",
  // Of another server.
  api_key: "none",
  "PATCH /api/external/chatbots id": ["chatbot"],
  "PATCH /api/external/chatbot/{chatbotId}/knowledge-base id": ["document"],
  "DELETE /api/external/chatbot/{chatbotId}/knowledge-base id": ["document"],
  "POST /api/external/chatbot/{chatbotId}/knowledge-base/documents/{documentId}/retry documentId": ["failedDocument"],
  // Organizations of these tests have no people.
  assignee: "none",
  "POST /api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages id": "none",
  // A conversation of this name begins, or goes on in the chatbot that the request names.
  sessionToken: "chosen",
  session_id: "chosen",
  "POST /api/external/chatbot/{chatbotId}/chat id": "chosen",
  heard_message_id: ["message"],
  "POST /api/external/chatbot/{chatbotId}/voice/turns sessionToken": ["session"],
  "POST /api/external/chatbot/{chatbotId}/voice/turns id": "none",
  "x-session-id": "chosen",
  "metadata.session_id": "chosen",
  "POST /api/external/chatbot/{chatbotId}/chat messageId": "none",
  "settings.handover.email": "none",
  "idempotency-key": "none",
  "Idempotency-Key": "none",
  // Everything of a visitor of this name is erased in the organization of the key.
  session_token: "chosen",
  email: "none",
  send_email: "none",
  visitor_id: "none",
  target_id: ["apiKey", "document", "session", "tool", "webhook"],
  slug: "none",
  agentId: "none",
  "voice_widget_config.agentId": "none",
  "settings.model": "none",
  judge_model: "none",
  "voice_widget_config.model": "none",
  "PATCH /api/external/chatbot/{chatbotId}/voice-agent model": "none",
  "POST /api/external/chatbot/{chatbotId}/chat/try model": "none",
}

/** Names that look as if they named something. One that has no meaning yet is an error, so that it gets one. */
const suspicious = /(?:^|[._-])(?:id|key|token|email|e-mail|slug|model|name[ds]?_by)$|(?:Id|Key|Token|Email|Slug)$/

/** A place in the requests of an operation whose value names something. */
export interface Place {
  readonly in: "path" | "query" | "header" | "body"
  readonly name: string
  readonly required: boolean
  readonly kinds: ReadonlyArray<Kind> | "chosen"
}

const isUuid = ({ anyOf, format }: JsonSchema): boolean =>
  format === "uuid" || (Array.isArray(anyOf) && anyOf.some((one: JsonSchema) => isUuid(one)))

interface Named {
  readonly in: Place["in"]
  readonly name: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** The fields of an object schema and of the objects within it, except those in arrays. */
export const fieldsOf = (
  { resolve }: Pick<ApiDocument, "resolve">,
  given: JsonSchema,
  prefix = "",
): ReadonlyArray<Named> => {
  const schema = resolve(given)
  const alternatives: ReadonlyArray<JsonSchema> = Array.isArray(schema.anyOf) ? schema.anyOf : []
  return [
    ...alternatives.flatMap((one) => fieldsOf({ resolve }, one, prefix)),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, field]): ReadonlyArray<Named> => {
      if (typeof field !== "object") return []
      const found = resolve(field)
      const name = prefix + key
      const required = (schema.required ?? []).includes(key)
      return [{ in: "body", name, required, schema: found }, ...fieldsOf({ resolve }, found, `${name}.`)]
    }),
  ]
}

/** The places of an operation whose values name something; throws where a decision about one is missing. */
export const placesOf = (
  document: Pick<ApiDocument, "resolve">,
  { body, name: operation, needsKey, parameters }: Pick<Operation, "body" | "name" | "needsKey" | "parameters">,
): ReadonlyArray<Place> => {
  if (!needsKey) return []
  const all: ReadonlyArray<Named> = [...parameters, ...(body === undefined ? [] : fieldsOf(document, body.schema))]
  return all.flatMap((place) => {
    const meaning = meanings[`${operation} ${place.name}`] ?? meanings[place.name]
    if (meaning === undefined) {
      if (place.in === "path" || isUuid(place.schema) || suspicious.test(place.name)) {
        throw new Error(`Decide in test/lib/safety/Places.ts what ${place.name} of ${operation} names`)
      }
      return []
    }
    return meaning === "none" ? [] : [{ in: place.in, name: place.name, required: place.required, kinds: meaning }]
  })
}
