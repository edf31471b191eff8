/*
 * What an integrator writes with a client generated from `/openapi.json`. Text, since the types are made when it is
 * used: `api.ts` beside it.
 */

/** Does everything that the source specification has: its 14 operations, in their order; then what fails. */
export const program = `
import createClient from "openapi-fetch"
import type { components, paths } from "./api.ts"

/** Files go as a form. */
const formOf = (fields: Record<string, string | Blob | ReadonlyArray<Blob>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const item of typeof value === "string" || value instanceof Blob ? [value] : value) form.append(name, item)
  }
  return form
}
const asForm = { bodySerializer: formOf }

const expect = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

export const useEverything = async (baseUrl: string, key: string, avatar: File) => {
  const api = createClient<paths, "application/json" | "application/problem+json">({
    baseUrl,
    headers: { "x-api-key": key },
  })
  const seen: Array<string> = []
  const did = (operation: string, what: string) => void seen.push(operation + ": " + what)

  const { chatbot } = expect(
    await api.POST("/api/external/chatbots", {
      body: { name: "Harbour", personality_config: { tone: "salty" }, settings: { model: "local/extractive" } },
    }),
  )
  const { id: chatbotId } = chatbot
  const params = { path: { chatbotId } }
  did("create", chatbot.slug + ", " + chatbot.settings.model)

  const updated = await api.PATCH("/api/external/chatbots", {
    params: { query: { id: chatbotId } },
    body: { description: "Knows the tides", settings: { greeting: "Ahoy!" } },
  })
  did("update", expect(updated).chatbot.settings.greeting + ", " + typeof updated.response.headers.get("etag"))

  const listed = expect(await api.GET("/api/external/chatbots", { params: { query: { limit: 10 } } }))
  did("list", listed.chatbots.map(({ name }) => name).join() + ", " + listed.next_cursor)

  did("get", expect(await api.GET("/api/external/chatbot/{chatbotId}", { params })).chatbot.description)

  const pictured = expect(
    await api.PATCH("/api/external/chatbot/{chatbotId}/update-avatar", { params, body: { avatar }, ...asForm }),
  )
  did("avatar", String(pictured.chatbot.settings.avatar?.endsWith(".png")))

  const widget = expect(
    await api.PATCH("/api/external/chatbot/{chatbotId}/chat-widget", {
      params,
      body: { header: "Ask us", primaryColor: "#0a7", language: "auto" },
    }),
  ).chat_widget_config
  did("widget", widget.header + ", " + widget.slogan.length)

  const voice = expect(
    await api.PATCH("/api/external/chatbot/{chatbotId}/voice-agent", {
      params,
      body: { voice: "alloy", vad: { threshold: 0.5 } },
    }),
  ).voice_widget_config
  did("voice", voice.voice + ", " + voice.vad?.threshold)

  const uploaded = expect(
    await api.POST("/api/embedfiles", {
      params: { header: { prefer: "wait=30" } },
      body: { chatbotId, files: [new File(["# Tides\\n\\nThe tide at Morlaix turns at noon."], "tides.md")] },
      ...asForm,
    }),
  )
  const [document]: ReadonlyArray<components["schemas"]["Document"]> = uploaded.documents
  if (document === undefined) throw new Error("Nothing was uploaded")
  did("upload", document.name + ", " + document.status)

  const sessionToken = "visitor-1"
  const chat = await api.POST("/api/external/chatbot/{chatbotId}/chat", {
    params: { ...params, query: { stream: "false" } },
    body: { sessionToken, messages: [{ role: "user", content: "When does the tide at Morlaix turn?" }] },
  })
  const reply = expect(chat)
  did("chat", reply.finish_reason + ", " + reply.output.includes("noon") + ", " + reply.steps[0]?.stepType)

  const { data: messages, metadata } = expect(
    await api.GET("/api/external/chatbot/{chatbotId}/conversations/{sessionId}/messages", {
      params: { path: { chatbotId, sessionId: sessionToken }, query: { page: 1, limit: 20 } },
    }),
  )
  const stored = messages.at(-1)
  did("messages", metadata.totalCount + ", " + (stored?.id === chat.response.headers.get("x-message-id")))

  const found = expect(
    await api.POST("/api/external/chatbot/{chatbotId}/query-knowledge", { params, body: { query: "tide", top_k: 3 } }),
  )
  did("query", found.status + ", " + found.total_docs + ", " + found.results.every(({ similarity }) => similarity > 0))

  const knowledge = expect(await api.GET("/api/external/chatbot/{chatbotId}/knowledge-base", { params }))
  did("knowledge", knowledge.chatbot.name)

  const replaced = expect(
    await api.PATCH("/api/external/chatbot/{chatbotId}/knowledge-base", {
      params,
      body: { documentId: document.id, file: new File(["# Tides\\n\\nIt turns at six."], "tides.md") },
      ...asForm,
    }),
  )
  did("replace", replaced.chatbot.id === chatbotId ? "same chatbot" : "another")

  const emptied = expect(
    await api.DELETE("/api/external/chatbot/{chatbotId}/knowledge-base", { params: { ...params, query: { all: "true" } } }),
  )
  did("delete", String(emptied.chatbot.active))

  const missing = await api.GET("/api/external/chatbot/{chatbotId}", {
    params: { path: { chatbotId: crypto.randomUUID() } },
  })
  did("a failure", missing.response.status + ", " + missing.error?.code)
  const refused = await api.POST("/api/external/chatbots", { body: { name: "" } })
  did("a refusal", refused.error?.code === "invalid_request" ? String(refused.error.errors?.[0]?.path) : "none")
  return seen
}
`

/** Each of its last lines is a mistake. */
export const mistakes = `
import createClient from "openapi-fetch"
import type { components, paths } from "./api.ts"

const api = createClient<paths, "application/json">({ baseUrl: "http://127.0.0.1" })
declare const chatbot: components["schemas"]["Chatbot"]
const params = { path: { chatbotId: chatbot.id } }

export const colour = chatbot.colour
export const nameless = api.POST("/api/external/chatbots", { body: { description: "Nobody" } })
export const nowhere = api.GET("/api/external/chatbot/{chatbotId}/colour", { params })
export const pathless = api.GET("/api/external/chatbot/{chatbotId}")
export const unasked = api.POST("/api/external/chatbot/{chatbotId}/chat", { params, body: { messages: "Hello" } })
export const unknownRole = api.POST("/api/external/chatbot/{chatbotId}/chat", { params, body: { messages: [{ role: "tool" }] } })
`
