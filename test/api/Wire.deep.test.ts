import { describe, expect, test } from "bun:test"
import { Arbitrary, DateTime, Effect, Predicate, Schema } from "effect"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { holds } from "../lib/Arbitraries.ts"

/** Narrows to a schema that needs no services, as all of this API do. The types of schemas in a set do not say so. */
const isWire = (schema: Schema.Top): schema is Schema.Top & Schema.Codec<unknown, unknown> => Schema.isSchema(schema)

/** The schemas at one place of an endpoint: a body with headers has two. */
const partsOf = (place: string, schema: Schema.Top): ReadonlyArray<readonly [string, Schema.Top]> => {
  if (HttpApiSchema.isWithHeaders(schema))
    return [
      [`${place} body`, schema.schema],
      [`${place} headers`, schema.headers],
    ]
  return [[place, schema]]
}

/** Files are sent as they are, without being encoded. */
const isJson = (contentType: string) => contentType.endsWith("json")
const isStream = (schema: Schema.Top) => Predicate.hasProperty(schema, "mode") && schema.mode === "uint8array"

const wireSchemas = (endpoint: HttpApiEndpoint.Top) => [
  ...(endpoint.params === undefined ? [] : partsOf("params", endpoint.params)),
  ...(endpoint.query === undefined ? [] : partsOf("query", endpoint.query)),
  ...(endpoint.headers === undefined ? [] : partsOf("headers", endpoint.headers)),
  ...Array.from(endpoint.payload).flatMap(([contentType, { schemas }]) =>
    isJson(contentType) ? schemas.flatMap((schema) => partsOf("payload", schema)) : [],
  ),
  ...Array.from(endpoint.success).flatMap((schema) => (isStream(schema) ? [] : partsOf("success", schema))),
  ...Array.from(endpoint.error).flatMap((schema) => partsOf("error", schema)),
]

const endpoints: ReadonlyArray<readonly [string, HttpApiEndpoint.Top]> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => [`${group.identifier}.${endpoint.identifier}`, endpoint] as const),
)

/** Encodes a value to JSON text and decodes it again. */
const comesBack = (schema: Schema.Codec<unknown, unknown>) => {
  const isSame = Schema.toEquivalence(schema)
  return (value: unknown) =>
    Effect.gen(function* () {
      const encoded = yield* Schema.encodeUnknownEffect(schema)(value)
      return isSame(value, yield* Schema.decodeUnknownEffect(schema)(JSON.parse(JSON.stringify(encoded))))
    })
}

test("the walk finds every schema that is sent", () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(29)
  const places = endpoints.flatMap(([, endpoint]) => wireSchemas(endpoint).map(([place]) => place))
  expect(new Set(places)).toEqual(
    new Set(["params", "query", "headers", "payload", "success", "success body", "success headers", "error"]),
  )
})

const provider = {
  name: "Staff",
  issuer: "https://login.example.com",
  client_id: "parley",
  roles_claim: "groups",
  role_mappings: [
    { value: "support", role: "agent", chatbot_id: ChatbotId.make("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0c") },
    { value: "it", role: "admin", chatbot_id: null },
  ],
}
const storedProvider = {
  ...provider,
  id: "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0d",
  redirect_uri: "https://chat.example.com/api/console/providers/callback",
  created_at: "2026-11-27T08:00:00.000+00:00",
  updated_at: "2026-11-27T08:00:00.000+00:00",
}

const connection = { name: "ollama", api: "openai", base_url: "http://127.0.0.1:11434" }
const storedConnection = {
  ...connection,
  id: "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0e",
  key_hint: "sk-…9f2a",
  created_at: "2026-11-27T08:00:00.000+00:00",
  updated_at: "2026-11-27T08:00:00.000+00:00",
}

/** Values for schemas whose valid values random generation does not find. */
const found: ReadonlyMap<string, ReadonlyArray<unknown>> = new Map<string, ReadonlyArray<unknown>>([
  [
    "usage.read query",
    [{ group_by: ["day", "model"], page: 2 }, { group_by: ["key"], from: "2026-11-01", to: "2026-11-20" }, {}],
  ],
  [
    "admin.createApiKey payload",
    [
      { name: "Website", scopes: ["chat"] },
      {
        name: "ü",
        scopes: ["admin", "operator"],
        organization_id: OrganizationId.make("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"),
        chatbot_id: ChatbotId.make("01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0c"),
        expires_at: DateTime.makeUnsafe("9999-12-31T23:59:59.999Z"),
      },
    ],
  ],
  ["consoleAccess.signIn payload", [{ key: "prl_key" }, { link: "link" }]],
  [
    "webhooks.createWebhook payload",
    [
      { url: "https://hooks.example.com/parley", events: ["message.created", "budget.spent"] },
      { url: "http://[2001:db8::1]:8080/?a=b", events: ["chatbot.updated"], chatbot_id: null, active: false },
    ],
  ],
  [
    "tools.tryDeclaration payload",
    [
      {
        tool: { name: "a", description: "ü", input_schema: { type: "object" }, url: "https://shop.example.com/" },
        input: { orderId: "A-4711", nested: [1, null] },
      },
    ],
  ],
  ["conversations.update payload", [{ state: "closed", tags: ["refund"], assignee: null }, { tags: [] }]],
  ...["inbox", "widget"].map(
    (group) =>
      [
        `${group}.presence payload`,
        [{ state: "away" }, { state: "reading", read_to: storedProvider.created_at }],
      ] as const,
  ),
  [
    "models.create payload",
    [
      { ...connection, api_key: "sk-key" },
      { ...connection, api: "anthropic", api_key: null },
    ],
  ],
  ...["create", "get", "update"].map(
    (operation) => [`models.${operation} success body`, [{ connection: storedConnection }]] as const,
  ),
  ["models.list success body", [{ connections: [storedConnection] }]],
  ["signInProviders.create payload", [{ ...provider, client_secret: "secret" }]],
  ["signInProviders.update payload", [{ name: "Staff", role_mappings: provider.role_mappings }, {}]],
  ...["create", "get", "update"].map(
    (operation) => [`signInProviders.${operation} success body`, [{ provider: storedProvider }]] as const,
  ),
  [
    "tools.createTool payload",
    [
      {
        name: "orderStatus",
        description: "Tells where an order is.",
        input_schema: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
        method: "DELETE",
        url: "https://shop.example.com/orders/{orderId}?all=true",
        headers: { authorization: "Bearer s3cr3t", "x-empty": "" },
        timeout_ms: 5_000,
      },
      {
        name: "a",
        description: "ü",
        input_schema: { type: "object" },
        url: "http://[2001:db8::1]:8080/",
        timeout_ms: null,
      },
    ],
  ],
])

/** Whether a value is ever sent: what a provider has said is not told in OpenAI's form. */
const isSent = (name: string, value: unknown): boolean =>
  !name.startsWith("openai.") || typeof value !== "object" || value === null || !("explanation" in value)

/** The schemas of which generated values have come back: most endpoints share those of their failures. */
const checked = new Set<unknown>()

describe("what one side encodes, the other decodes to the same value", () => {
  test.each(endpoints)("%s", async (name, endpoint) => {
    for (const [place, schema] of wireSchemas(endpoint)) {
      if (!isWire(schema)) throw new Error(`${place} is no schema`)
      const values = found.get(`${name} ${place}`)
      if (values !== undefined) {
        for (const value of values) expect(await Effect.runPromise(comesBack(schema)(value))).toBe(true)
        continue
      }
      if (checked.has(schema)) continue
      const returns = comesBack(schema)
      await holds(
        Arbitrary.schema(schema),
        (value) => (isSent(name, value) ? returns(value) : Effect.succeed(true)),
        30,
      )
      checked.add(schema)
    }
  })
})
