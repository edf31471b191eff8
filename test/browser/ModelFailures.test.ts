import { expect } from "bun:test"
import { says } from "../lib/FakeAnthropic.ts"
import { fakeOpenAiKey } from "../lib/FakeOpenAi.ts"
import {
  contentFiltered,
  contextExceeded,
  creditSpent,
  keyRefused,
  modelGone,
  type ModelRefusal,
} from "../lib/ModelRefusals.ts"
import { signInPerson } from "./lib/People.ts"
import { inspect, startBrowser, startSuite } from "./lib/Suite.ts"
import { until } from "./lib/Visit.ts"
import { Chat } from "./lib/Widget.ts"

/*
 * Failures of models as they are met most: what a visitor, an agent and an administrator see of each.
 */

const { model, server, site } = await startSuite()
/** Where the agent signs in: a passkey needs the name, and the administrator's session has the address. */
const origin = server.url.replace("127.0.0.1", "localhost")
const { visit } = await startBrowser([server.url, site.url, origin])

interface FailedModel {
  readonly model: string
  readonly refusal: ModelRefusal
  readonly reason: string
  readonly advice: string
}

const failures: Readonly<Record<string, FailedModel>> = {
  key: {
    model: "openai/gpt-5-mini",
    refusal: keyRefused,
    reason:
      "The provider refuses the key in the connection openai (401): Incorrect API key provided: [key]. You can find your API key at https://platform.openai.com/account/api-keys.",
    advice: "Replace the key of the model's connection.",
  },
  gone: {
    model: "ollama/llama3.2:3b",
    refusal: modelGone,
    reason: '404 model "llama3.2:3b" not found, try pulling it first',
    advice: "Choose another model in the chatbot's settings.",
  },
  credit: {
    model: "openrouter/meta-llama/llama-3.3-70b-instruct",
    refusal: creditSpent,
    reason:
      "402 This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 117. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
    advice: "The account has no credit left: top it up at the provider.",
  },
  context: {
    model: "llamacpp/qwen3-8b",
    refusal: contextExceeded,
    reason: "400 request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
    advice: "Choose a model with a larger context, or shorten the chatbot's prompt.",
  },
  filter: {
    model: "azure/gpt-4o",
    refusal: contentFiltered,
    reason:
      "400 The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
    advice: "The provider's content filter refuses the question or the chatbot's prompt: word it otherwise.",
  },
}

/** What an agent reads after the advice, which is for others. */
const TELL = "Tell somebody who manages this chatbot."
const QUESTION = "What does a crossing cost?"

/** Makes a chatbot whose model is that of a connection, and returns its id. */
const chatbotOf = async (name: string): Promise<string> => {
  const connection = { name: name.split("/")[0], api: "openai", base_url: `${model.url}/v1`, api_key: fakeOpenAiKey }
  await server.api.post("/api/admin/model-connections", connection)
  const { id } = await server.api.newChatbot({ name: "Harbour", settings: { model: name, handover: { button: true } } })
  return id
}

const conversationOf = async (id: string): Promise<string> => {
  const { data } = await server.api.get(`/api/external/chatbot/${id}/conversations`)
  return data[0].id
}

visit(
  "a model that fails: visitors learn nothing of it, and agents and administrators why, and what to do",
  async ({ expects, page }) => {
    expects(/status of (?:401|502)/)
    const signedIn = async (address: string) => {
      await page.goto(address)
      await page.getByLabel("API key").fill(server.api.key)
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "Conversations" }).waitFor()
    }
    await signInPerson(page, server.api, origin, "Ada Lovelace")
    // Who answers visitors begins where they wait.
    await page.goto(`${origin}/console`)
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor()
    await signedIn(`${server.url}/console`)
    for (const [what, { advice, model: name, reason, refusal }] of Object.entries(failures)) {
      const id = await chatbotOf(name)
      model.answers(() => ({ kind: "refusal", ...refusal }))

      const chat = await Chat.open(page, site.page({ "data-key": id }))
      await chat.ask(QUESTION)
      await chat.within.getByRole("alert").waitFor()
      expect(await chat.within.getByRole("alert").innerText()).toBe("Something went wrong. Try again")
      const seen = await chat.within.locator("body").innerText()
      for (const hidden of [reason, advice, name, name.split("/")[0] ?? "", String(refusal.status), "model"])
        expect(seen).not.toContain(hidden)
      await inspect(page, `failure-${what}-visitor`, chat.document)

      const session = await conversationOf(id)
      const explains = async (part: ReturnType<typeof page.locator>, isForOthers: boolean) => {
        await part.getByText(reason).first().waitFor()
        await part
          .getByText(isForOthers ? `${advice} ${TELL}` : advice, { exact: true })
          .first()
          .waitFor()
        const text = await page.locator("body").innerText()
        for (const secret of [fakeOpenAiKey, "9f2a"]) expect(text).not.toContain(secret)
        if (!isForOthers) expect(text).not.toContain(TELL)
      }
      const thread = page.locator(".thread")
      await page.goto(`${origin}/console/conversations/${id}/${session}`)
      await explains(thread, true)
      await page.goto(`${origin}/console/inbox/${id}/${session}`)
      await explains(thread, true)
      await inspect(page, `failure-${what}-agent`)
      await page.getByRole("button", { name: "Draft", exact: true }).click()
      const said = page.locator(".toast")
      await until(async () => (await said.innerText()).includes(advice))
      expect((await said.innerText()).split("\n").slice(1)).toEqual([reason, advice])
      await inspect(page, `failure-${what}-agent-draft`)

      await page.goto(`${server.url}/console/conversations/${id}/${session}`)
      await explains(thread, false)
      await inspect(page, `failure-${what}-administrator`)
      await page.goto(`${server.url}/console/chatbots/${id}/playground`)
      const before = model.count()
      await page.getByLabel("Message").fill(QUESTION)
      await page.keyboard.press("Enter")
      await explains(page.getByLabel("Conversation"), false)
      // What has failed for good is not asked again by itself.
      expect(model.count() - before).toBe(1)
      await explains(page.getByLabel("Steps of the reply"), false)
      await inspect(page, `failure-${what}-playground`)
    }
  },
)

visit(
  "a conversation that is longer than the model's context goes on without its beginning, which the inspector says",
  async ({ expects, page }) => {
    expects(/status of 401/)
    const id = await chatbotOf("small/qwen3-8b")
    const long = `I travel with ${"a dog and ".repeat(1_500)}a cat.`
    const asks = async (ask: (text: string) => Promise<void>) => {
      model.answers(() => says("That is fine."))
      await ask(long)
      model.answers(({ body }) =>
        JSON.stringify(body.messages).length > long.length
          ? { kind: "refusal", ...contextExceeded }
          : says("14 euros."),
      )
      await ask(QUESTION)
    }
    const chat = await Chat.open(page, site.page({ "data-key": id }))
    let count = 0
    await asks(async (text) => {
      await chat.exchange(text, ++count)
    })
    expect(await chat.reply(2)).toBe("14 euros.")
    await inspect(page, "failure-context-met-visitor", chat.document)

    await page.goto(`${server.url}/console/chatbots/${id}/playground`)
    await page.getByLabel("API key").fill(server.api.key)
    await page.keyboard.press("Enter")
    const asked = page.getByRole("button", { name: /step/ })
    count = 0
    await asks(async (text) => {
      await page.getByLabel("Message").fill(text)
      await page.keyboard.press("Enter")
      await asked.nth(count++).waitFor()
    })
    await page.getByText("Model call 1").click()
    await page.getByText("The beginning of the conversation was left out").waitFor()
    await inspect(page, "failure-context-met-playground")
    await page.goto(`${server.url}/console/conversations/${id}/${await conversationOf(id)}`)
    await page.getByText("14 euros.").first().waitFor()
    expect(await page.getByText("The model did not answer.").count()).toBe(0)
  },
)
