import { describe, expect, test } from "bun:test"
import { scopesOfRole } from "../../src/domain/people/Role.ts"
import { type Client, problem } from "../lib/Client.ts"
import { fails, fakeKey, says } from "../lib/FakeAnthropic.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { uiEvents } from "../lib/UiEvents.ts"
import { publish, visit } from "../lib/Visitors.ts"
import type { Answer } from "../lib/Wire.ts"

const { client, provider } = await sharedServer()
const model = "claude-sonnet-5-5"

/** A refusal in which the provider repeats our key, and names another one. */
const refusal = (status: number, type: string, message: string): Answer =>
  fails(status, type, { "x-should-retry": "false" }, `Sorry:\n ${message} (${fakeKey}, sk-another-key-4711)`)

const failures: ReadonlyArray<readonly [string, Answer, string, string]> = [
  [
    "refuses the key",
    refusal(401, "authentication_error", "invalid x-api-key"),
    "invalid x-api-key",
    "The server's operator has to replace this key.",
  ],
  [
    "has no such model any more",
    refusal(404, "not_found_error", `model: ${model}`),
    `model: ${model}`,
    "Choose another model in the chatbot's settings.",
  ],
  [
    "gives no credit",
    refusal(402, "billing_error", "Your plan is used up"),
    "Your plan is used up",
    "The account has no credit left: top it up at the provider.",
  ],
  [
    "has a context of 4,096 tokens",
    refusal(400, "invalid_request_error", "prompt is too long: 5012 tokens > 4096 maximum"),
    "prompt is too long: 5012 tokens > 4096 maximum",
    "Choose a model with a larger context, or shorten the chatbot's prompt.",
  ],
  [
    "filters the question",
    refusal(400, "invalid_request_error", "Output blocked by content filtering policy"),
    "Output blocked by content filtering policy",
    "The provider's content filter refuses the question or the chatbot's prompt: word it otherwise.",
  ],
]

const ask = (content: string) => ({ messages: [{ role: "user", content }] })

describe("a provider that", () => {
  test.each(failures)(
    "%s is quoted to those who run the chatbot, and to no visitor",
    async (_, answer, said, advice) => {
      const own = await client.newOrganization()
      const { id, slug } = await own.newChatbot({ settings: { model, isToolEnabled: false } })
      await provider.answers(answer)
      const isSecret = (text: string) => {
        expect(text).not.toContain(fakeKey)
        expect(text).not.toContain("another-key")
      }
      const isHidden = (text: string) => {
        isSecret(text)
        for (const words of ["Sorry", said, advice]) expect(text).not.toContain(words)
      }
      // A visitor of the widget, and of a website with a key that may only chat.
      const visitor = await visit(client, await publish(own, id))
      const heard = await visitor.hear("Hello")
      const [conversation] = await visitor.conversations()
      isHidden(JSON.stringify(heard.events))
      isHidden((await visitor.send("GET", `/conversations/${conversation?.id}/messages`)).text)
      const website = await own.limitedTo("chat")
      const whole = await website.say(id, "Hello")
      problem(whole, whole.status, "provider_failed")
      isHidden(whole.text)
      isHidden((await website.post(`/api/external/chatbot/${id}/chat?stream=true`, { json: ask("Hello") })).text)
      isHidden((await website.post("/v1/chat/completions", { json: { model: slug, ...ask("Hello") } })).text)

      // A person in the inbox reads it where the reply is missing, and where a draft of an answer fails.
      const agent = await own.limitedTo(...scopesOfRole.agent)
      const [message, ...others] = await agent.messages(id, conversation?.id ?? "")
      expect(others).toEqual([])
      expect(message?.content).toBe("Hello")
      const explanation = message?.metadata.failure ?? { reason: "", advice: "" }
      expect(explanation.reason).toContain(`Sorry: ${said} ([key], [key])`)
      expect(explanation.advice).toBe(advice)
      isSecret(JSON.stringify(message))
      const draft = await agent.post(`/api/external/chatbot/${id}/conversations/${conversation?.id}/draft`)
      expect(problem(draft, 502, "provider_failed").explanation).toEqual(explanation)

      // An administrator reads it in the playground, whole and streamed, and beside other settings.
      const admin = await own.limitedTo(...scopesOfRole.admin)
      for (const path of ["chat", "chat?stream=true&steps=true", "chat/try"]) {
        const failed = await admin.post(`/api/external/chatbot/${id}/${path}`, { json: ask("Hello") })
        const { detail, explanation: shown } = problem(failed, 502, "provider_failed")
        expect(shown).toEqual(explanation)
        expect(detail).not.toContain(said)
        isSecret(failed.text)
      }
      const tried = await own.limitedTo("chat", "chatbots:write")
      const failed = await tried.post(`/api/external/chatbot/${id}/chat/try`, { json: ask("Hello") })
      expect(problem(failed, 502, "provider_failed").explanation).toEqual(explanation)
    },
  )

  test("fails in the middle of a stream is quoted in it, and by the part of the reply that is stored", async () => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot({ settings: { model } })
    const streamTo = async (as: Client, sessionToken: string) => {
      await provider.answers({ kind: "error in body" })
      const path = `/api/external/chatbot/${id}/chat?stream=true`
      return uiEvents((await as.post(path, { json: { ...ask("Hello"), sessionToken } })).text)
    }
    const admin = await streamTo(own, "of-the-administrator")
    const explanation = {
      reason: expect.stringContaining("internal words of the provider"),
      advice: "Wait a moment, or add a fallback model to the chatbot's settings.",
    }
    expect(admin.slice(-2)).toEqual([
      { type: "data-explanation", data: explanation, transient: true },
      { type: "error", errorText: "The model provider is overloaded." },
    ])
    expect(JSON.stringify(await streamTo(await own.limitedTo("chat"), "of-a-website"))).not.toContain("internal words")
    for (const session of ["of-the-administrator", "of-a-website"])
      expect(await own.messages(id, session)).toMatchObject([
        { sender_type: "user", metadata: {} },
        { sender_type: "bot", unanswered: true, metadata: { failure: explanation } },
      ])
  })

  test("fails, so that a fallback answers, is quoted in the warning of the step, and not the fallbacks between", async () => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot({ settings: { model, fallbackModels: ["claude-opus-5", "openai/test-1"] } })
    const retired = refusal(404, "not_found_error", "It is retired")
    const warningsTo = async (as: Client) => {
      await provider.answers(retired, refusal(402, "billing_error", "It costs"), says("At noon."))
      const { output, steps } = await as.chat(id, "When?")
      expect(output).toBe("At noon.")
      await provider.answers(retired, refusal(402, "billing_error", "It costs"), says("At noon."))
      const path = `/api/external/chatbot/${id}/chat?stream=true&steps=true`
      const events = await uiEvents((await as.post(path, { json: ask("When?") })).text)
      const { data } = events.find(({ type }) => type === "data-step")
      expect(data.warnings).toEqual(steps[0]?.warnings)
      return steps[0]?.warnings
    }
    const warning = { type: "other", message: `${model} could not answer; openai/test-1 answered instead.` } as const
    const details = "404 Sorry: It is retired ([key], [key])"
    expect(await warningsTo(await own.limitedTo("chat", "conversations:read"))).toEqual([{ ...warning, details }])
    expect(await warningsTo(await own.limitedTo("chat"))).toEqual([warning])
  })
})
