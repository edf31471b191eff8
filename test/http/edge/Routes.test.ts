import { describe, expect, test } from "bun:test"
import { Glob } from "bun"
import { Context } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { IsCrossOrigin, IsProbe, IsSlow, Speaks } from "../../../src/api/parts/Annotations.ts"
import { Api } from "../../../src/api/Api.ts"
import type { Once } from "../../../src/api/Middleware.ts"
import { loggedPath } from "../../../src/http/edge/Edge.ts"
import { areaOf, findRoute, methodsAt, type Route, routes } from "../../../src/http/edge/Routes.ts"

const names = ({ method, path }: Route) => `${method} ${path}`

/** The path of a route with this value for each of its parameters. */
const filled = (path: string, parameter: string) => path.replaceAll(/:\w+/g, parameter)

/** Values of parameters: ids, and texts that look like other paths of the API or have to be encoded. */
const parameters = [
  "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b",
  "chat",
  "knowledge-base",
  "a%2Fb",
  "ü",
  "a.b",
  "x".repeat(600),
]

describe("the annotations of an endpoint hold at every path of its form", () => {
  test.each(routes.map((route) => [names(route), route] as const))("%s", (_, route) => {
    const { annotations, isDocumented, method, path } = route
    for (const parameter of parameters) {
      const at = filled(path, parameter)
      if (routes.every((one) => one === route || one.path !== at)) expect(findRoute(method, at)?.route).toBe(route)
      const found = findRoute(method, at)?.route.annotations ?? Context.empty()
      expect(Context.get(found, IsSlow)).toBe(Context.get(annotations, IsSlow))
      expect(methodsAt(at).includes(method)).toBe(isDocumented)
    }
  })

  test("the slow endpoints are those that wait for a language model or for a document", () => {
    expect(
      routes
        .filter(({ annotations }) => Context.get(annotations, IsSlow))
        .map(names)
        .toSorted(),
    ).toEqual([
      "DELETE /api/external/chatbot/:chatbotId/knowledge-base",
      "DELETE /api/external/chatbot/:chatbotId/sources/:sourceId",
      "GET /api/admin/system/checks",
      "GET /api/console/providers/:providerId/callback",
      "GET /api/console/providers/:providerId/sign-in",
      "GET /api/external/chatbot/:chatbotId/knowledge-base/export",
      "GET /api/external/events",
      "GET /api/widget/chat/:replyId",
      "GET /api/widget/conversations/:conversationId/events",
      "PATCH /api/external/chatbot/:chatbotId/knowledge-base",
      "POST /api/admin/models/test",
      "POST /api/embedfiles",
      "POST /api/external/chatbot/:chatbotId/attachments",
      "POST /api/external/chatbot/:chatbotId/chat",
      "POST /api/external/chatbot/:chatbotId/chat/try",
      "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/draft",
      "POST /api/external/chatbot/:chatbotId/knowledge-base/import",
      "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions/import",
      "POST /api/external/chatbot/:chatbotId/sources/preview",
      "POST /api/external/chatbot/:chatbotId/tests/import",
      "POST /api/external/chatbot/:chatbotId/tools/:toolId/try",
      "POST /api/external/chatbot/:chatbotId/tools/try",
      "POST /api/external/chatbot/:chatbotId/voice/turns",
      "POST /api/external/webhooks/:webhookId/test",
      "POST /api/widget/attachments",
      "POST /api/widget/chat",
      "POST /api/widget/voice/turns",
      "POST /mcp",
      "POST /mcp/:chatbotId",
      "POST /v1/chat/completions",
    ])
  })

  test("only the server's own address, health checks, avatars, documentation, pages, the beginning of a widget and the console's sign-in need no API key", () => {
    expect(routes.flatMap((route) => (route.needsKey || route.needsVisitor ? [] : [names(route)])).toSorted()).toEqual([
      "DELETE /api/console/session",
      "GET /",
      "GET /api/attachments/:attachmentId/:secret/:name",
      "GET /api/console/providers/:providerId/callback",
      "GET /api/console/providers/:providerId/sign-in",
      "GET /api/console/sign-in",
      "GET /api/widget/config/:key",
      "GET /assets/:hash/:name",
      "GET /avatars/:name",
      "GET /chat/:name",
      "GET /console",
      "GET /console/*",
      "GET /docs",
      "GET /docs/:page",
      "GET /healthz",
      "GET /openapi.json",
      "GET /readyz",
      "GET /widget.js",
      "GET /widget/:name",
      "GET /widget/preview",
      "POST /api/console/invitations",
      "POST /api/console/invitations/options",
      "POST /api/console/passkeys",
      "POST /api/console/passkeys/options",
      "POST /api/console/session",
      "POST /api/widget/sessions",
    ])
  })
})

test("every endpoint has the middleware of its own dialect", () => {
  const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))
  const spoken = endpoints.flatMap(({ middlewares, path }) =>
    Array.from(middlewares, ({ key }) => [path, key.split("/").at(-1)]),
  )
  expect(spoken.length).toBeGreaterThanOrEqual(2 * endpoints.length)
  expect(spoken).toEqual(spoken.map(([path = ""]) => [path, areaOf(path).dialect]))
})

describe("a request with an idempotency key", () => {
  // Opening a session of the widget or of the console changes nothing, a visitor's message has an id of its own, a
  // backup that is made again is refused, saying again who is there changes nothing more,
  // and the audio of a spoken turn is stored nowhere.
  const changing = routes.filter(
    ({ isDocumented, method, path }) =>
      isDocumented &&
      ["PATCH", "POST", "PUT"].includes(method) &&
      !/^\/api\/(?:widget|console|admin\/backups$)|\/presence$|\/voice\/turns$/.test(path),
  )

  test("is carried out once by every endpoint that changes anything, within the checks of its key and its body", () => {
    const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))
    const inside = endpoints.flatMap(({ method, middlewares, path }) => {
      const kinds = Array.from(middlewares, ({ key }) => key.split("/").at(-2))
      expect(kinds.lastIndexOf("Idempotent")).toBeLessThanOrEqual(0)
      return kinds[0] === "Idempotent" ? [`${method} ${path}`] : []
    })
    expect(inside.toSorted()).toEqual(changing.map(names).toSorted())
  })

  test("has its effect once in one of four ways, most within a transaction", () => {
    const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))
    const howOf = ({ method, path }: Pick<Route, "method" | "path">) => {
      const found = endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path)
      const [first] = Array.from(found?.middlewares ?? [], ({ key }) => key.split("/").at(-3))
      return first ?? "none"
    }
    const byHow = Map.groupBy(changing, howOf)
    const at = (how: Once) => (byHow.get(how) ?? []).map(names).toSorted()
    expect(at("repeatable")).toEqual([
      "PATCH /api/external/chatbot/:chatbotId/knowledge-base",
      "POST /api/admin/models/test",
      "POST /api/embedfiles",
      "POST /api/external/chatbot/:chatbotId/chat",
      "POST /api/external/chatbot/:chatbotId/chat/try",
      "POST /api/external/chatbot/:chatbotId/conversations/:sessionId/draft",
      "POST /api/external/chatbot/:chatbotId/knowledge-base/import",
      "POST /api/external/chatbot/:chatbotId/query-knowledge",
      "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions/import",
      "POST /api/external/chatbot/:chatbotId/sources/preview",
      "POST /api/external/chatbot/:chatbotId/tests/import",
      "POST /api/external/chatbot/:chatbotId/tools/:toolId/try",
      "POST /api/external/chatbot/:chatbotId/tools/try",
      "POST /api/external/erasures",
      "POST /api/external/webhooks/:webhookId/test",
      "POST /v1/chat/completions",
    ])
    expect(at("prepared")).toEqual([
      "PATCH /api/external/chatbot/:chatbotId/sources/:sourceId",
      "PATCH /api/external/chatbot/:chatbotId/sources/:sourceId/questions/:questionId",
      "PATCH /api/external/chatbot/:chatbotId/update-avatar",
      "POST /api/external/chatbot/:chatbotId/attachments",
      "POST /api/external/chatbot/:chatbotId/duplicate",
      "POST /api/external/chatbot/:chatbotId/sources",
      "POST /api/external/chatbot/:chatbotId/sources/:sourceId/questions",
    ])
    expect(at("inSystemTransaction").every((name) => name.includes("/api/admin/"))).toBe(true)
    expect(
      at("inTransaction").filter((name) => /api\/admin\/(?!sign-in-providers|model-connections)/.test(name)),
    ).toEqual([])
    expect(changing.filter(({ annotations }) => Context.get(annotations, IsSlow)).map(howOf)).not.toContain(
      "inTransaction",
    )
  })
})

test("a path that only resembles that of an endpoint has no methods and no route", () => {
  const declared = new Set(routes.map(({ path }) => filled(path, "a")))
  const resembling = routes
    .flatMap(({ path }) => {
      const at = filled(path, "a")
      return [`${at}/`, `/${at}`, `${at}/nothing/more`, at.toUpperCase(), filled(path, "")]
    })
    // Every path below the console's is one of its screens.
    .filter((path) => !declared.has(path) && (!path.startsWith("/console/") || path === "/console/"))
  expect(resembling.length).toBeGreaterThan(100)
  expect(resembling.filter((path) => methodsAt(path).length > 0)).toEqual([])
  expect(resembling.filter((path) => routes.some(({ method }) => findRoute(method, path) !== undefined))).toEqual([])
})

describe("the area of a path", () => {
  test.each(routes.map((route) => [names(route), route] as const))(
    "has the annotations of %s",
    (_, { annotations, path }) => {
      expect(areaOf(path)).toEqual({
        dialect: Context.get(annotations, Speaks),
        isCrossOrigin: Context.get(annotations, IsCrossOrigin),
        isProbe: Context.get(annotations, IsProbe),
      })
    },
  )

  test.each([
    ["/v1/nothing", "openai", true],
    ["/v1/models/a/b", "openai", true],
    ["/api/nothing", "parley", true],
    ["/mcp/a/b", "mcp", false],
    ["/avatars/nothing/here", "parley", false],
    // These paths resemble areas and are outside of them.
    ["/v1", "parley", false],
    ["/api", "parley", false],
    ["/V1/models", "parley", false],
    ["/v10/models", "parley", false],
    ["/mcp-server", "parley", false],
    ["/nothing", "parley", false],
    ["/", "parley", false],
    ["*", "parley", false],
  ] as const)("is known for a path without an endpoint: %s", (path, dialect, isCrossOrigin) => {
    expect(areaOf(path)).toEqual({ dialect, isCrossOrigin, isProbe: false })
  })
})

test("no source file of the server repeats a path that an endpoint declares", () => {
  const beginnings = new Set(routes.flatMap(({ path }) => path.split("/")[1] || []))
  const path = new RegExp(`["'\`/]\\\\?/(?:${Array.from(beginnings).join("|")})\\b`)
  const root = join(import.meta.dir, "../../../src/http")
  const naming = Array.from(new Glob("**/*.ts").scanSync(root)).filter((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .some((line) => path.test(line) && !/^import |^ *(?:\*|\/\*|\/\/)/.test(line)),
  )
  expect(naming).toEqual([])
})

test("the log shows no session token", () => {
  const bot = "/api/external/chatbot/01a1f95a-aa00-7248-baf8-9c775ba3da2c"
  expect(loggedPath(`${bot}/conversations/visitor-token/messages`)).toBe(`${bot}/conversations/…/messages`)
  expect(loggedPath(`${bot}/conversations/visitor-token`)).toBe(`${bot}/conversations/…`)
  expect(loggedPath(`${bot}/conversations`)).toBe(`${bot}/conversations`)
  expect(loggedPath("/api/attachments/an-id/secret/me.png")).toBe("/api/attachments/…")
})
