import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { FetchHttpClient } from "effect/http"
import { ModelConnectionId } from "../../../src/domain/models/ModelConnection.ts"
import { ConnectedModels } from "../../../src/models/connections/ConnectedModels.ts"
import { Models } from "../../../src/models/Models.ts"
import { SafeFetch } from "../../../src/outbound/SafeFetch.ts"
import { modelsInUseCheck } from "../../../src/services/doctor/ModelsInUse.ts"
import { ModelConnections } from "../../../src/storage/models/ModelConnections.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { defaults, modelsSettings } from "../../lib/Defaults.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { refusedParts, rolesOf, toolRefusals } from "../../lib/OddModes.ts"
import { type OddRequest, oddServer, pieces, refusal } from "../../lib/OddServer.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet, SafeFetch.layer(defaults.safeFetch)))
afterAll(() => runtime.dispose())
beforeEach(() => runtime.runPromise(SystemSql.use((sql) => sql`delete from chatbots`)))

/** Examines the models in use, of which those of the settings are on an odd server. */
const findings = (
  answer: (request: OddRequest) => Response,
  { before, defaultModel, failed = [] }: Partial<Setting> = {},
): Promise<{ readonly lines: ReadonlyArray<string>; readonly requests: ReadonlyArray<OddRequest> }> =>
  Effect.gen(function* () {
    const { requests, url } = yield* oddServer(answer)
    yield* before?.(url) ?? Effect.void
    const settings = modelsSettings({ openai: { baseUrl: url }, ...(defaultModel !== undefined && { defaultModel }) })
    const models = Layer.provide(Models.layer(settings), ConnectedModels.ownModels).pipe(
      Layer.provide(ConnectedModels.layer(settings)),
      Layer.provide(FetchHttpClient.layer),
    )
    const found = yield* Effect.provide(modelsInUseCheck(failed), models)
    return { lines: found.map(({ part, state, text }) => `${state} ${part}: ${text}`), requests }
  }).pipe(Effect.scoped, runtime.runPromise)

interface Setting {
  readonly before: (
    url: string,
  ) => Effect.Effect<unknown, unknown, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>
  readonly defaultModel: string
  readonly failed: ReadonlyArray<string>
}

const ofDefault = { defaultModel: "openai/m" }
const answers = () => pieces("Yes.")

/** Makes a chatbot with these settings. */
const using = (settings: object) =>
  Effect.gen(function* () {
    const tenant = yield* makeTenant
    yield* SystemSql.use(
      (sql) => sql`update chatbots set settings = settings || ${JSON.stringify(settings)}::text::jsonb
        where id = ${tenant.chatbot}`,
    )
    return tenant
  })

describe("a model in use is asked one question, and what its server refuses is said:", () => {
  test("nothing", async () => {
    const { lines, requests } = await findings(answers, ofDefault)
    expect(lines).toEqual(["ok models: openai/m answers"])
    expect(requests).toHaveLength(1)
    expect(requests[0]?.tools).toHaveLength(1)
  })

  test.each(toolRefusals)("tools, as %s", async (_, refused) => {
    const { lines } = await findings(({ tools }) => (tools === undefined ? answers() : refused()), ofDefault)
    expect(lines).toEqual(["ok models: openai/m answers; its server refuses tools: Parley searches before it asks"])
  })

  test.each(refusedParts)("%s", async (_, refused, isRefused) => {
    const { lines, requests } = await findings((request) => (isRefused(request) ? refused() : answers()), ofDefault)
    const said = isRefused(requests[0] ?? { model: "", messages: [] })
    expect(lines).toEqual([
      said
        ? expect.stringMatching(/^ok models: openai\/m answers; its server refuses (?:an|the) .+: Parley \w+s .+/)
        : "ok models: openai/m answers",
    ])
  })

  test("several", async () => {
    const { lines } = await findings((request) => {
      if (request.stream_options !== undefined) return refusal(400, { detail: "stream_options: extra fields" })()
      if (rolesOf(request).includes("system")) return refusal(400, { message: "System role not supported" })()
      return answers()
    }, ofDefault)
    expect(lines).toEqual([
      "ok models: openai/m answers; its server refuses the role `system`: Parley puts the words of the system before the first message; its server refuses the parameter `stream_options`: Parley leaves it out",
    ])
  })
})

const gone = refusal(404, { error: { message: "The model `m` does not exist", code: "model_not_found" } })

test("a model that is gone is wrong where new chatbots have it, and else a note", async () => {
  const said =
    "openai/m does not answer. 404 The model `m` does not exist. Choose another model in the chatbot's settings."
  expect((await findings(gone, ofDefault)).lines).toEqual([`wrong models: ${said}`])
  const before = () => using({ model: "openai/m" })
  expect((await findings(gone, { before })).lines).toEqual([`note models: ${said}`])
})

test("a model whose provider has failed is not asked", async () => {
  const { lines, requests } = await findings(answers, { ...ofDefault, failed: ["openai"] })
  expect({ lines, requests }).toEqual({ lines: [], requests: [] })
})

test("models of chatbots and their fallbacks are asked once each, and one that is not configured is named", async () => {
  const before = () =>
    Effect.all([
      using({ model: "openai/a" }),
      using({ model: "openai/a", fallbackModels: ["openai/b", "claude-m"] }),
      Effect.andThen(using({ model: "openai/paused" }), ({ chatbot }) =>
        SystemSql.use((sql) => sql`update chatbots set active = false where id = ${chatbot}`),
      ),
    ])
  const { lines, requests } = await findings(answers, { before })
  expect(lines).toEqual([
    "ok models: openai/a answers",
    "note models: claude-m has no provider. To use it, set ANTHROPIC_API_KEY=sk-ant-…, then start Parley again.",
    "ok models: openai/b answers",
  ])
  expect(requests.map(({ model }) => model).toSorted()).toEqual(["a", "b"])
})

test("a model that an organization has connected is asked with its connection", async () => {
  const before = (base_url: string) =>
    Effect.gen(function* () {
      const { organization } = yield* using({ model: "ollama/gemma:2b" })
      const connections = yield* ModelConnections
      const id = ModelConnectionId.make(crypto.randomUUID())
      yield* as(organization)(
        connections.insert(id, { name: "ollama", api: "openai", base_url, is_trusted: true }, undefined),
      )
      yield* SystemSql.use((sql) => sql`update organizations set name = 'Acme' where id = ${organization}`)
    })
  const refused = toolRefusals[1]?.[1] ?? answers
  const { lines } = await findings(({ tools }) => (tools === undefined ? answers() : refused()), { before })
  expect(lines).toEqual([
    "ok models: ollama/gemma:2b, connected by Acme, answers; its server refuses tools: Parley searches before it asks",
  ])
})
