import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Exit, Fiber, Latch, ManagedRuntime } from "effect"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { Messages } from "../../../src/storage/conversations/Messages.ts"
import {
  chatLayer,
  contents,
  echo,
  failed,
  makeTenantWith,
  reset,
  say,
  stepOf,
  stored,
  tellStep,
} from "../../lib/Chatting.ts"
import { AgentControl, replyOf } from "../../lib/Layers.ts"
import { as, makeTenant, sessionNamed } from "../../lib/Tenants.ts"

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

describe("a chat", () => {
  test("stores the user's message before the model is called, and the reply with its cost afterwards", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const agent = yield* AgentControl
        const messages = yield* Messages
        const before: Array<string> = []
        agent.reply = (input) =>
          Effect.andThen(
            Effect.orDie(
              Effect.map(
                as(tenant.organization)(messages.page(tenant.chatbot, sessionNamed("s"), { page: 1, limit: 10 })),
                ({ messages }) => void before.push(...messages.map(({ content }) => content)),
              ),
            ),
            echo(input),
          )
        const reply = yield* say(tenant, "Hello", "s")
        expect(before).toEqual(["Hello"])
        expect(reply).toMatchObject({ output: "Echo: Hello", finish_reason: "stop" })
        expect(yield* stored(tenant, reply.session_id)).toMatchObject([
          { sender_type: "user", content: "Hello", tokens_used: 0, model: null },
          { sender_type: "bot", content: "Echo: Hello", tokens_used: 3, model: "scripted", provider: "scripted" },
        ])
      }),
    ))

  test("passes the agent the chatbot's settings and a search in the knowledge of this chatbot only", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenantWith({ prompt: "Be a pirate.", isToolEnabled: false })
        const agent = yield* AgentControl
        agent.reply = ({ search }) => Effect.map(search("refunds"), (passages) => replyOf(JSON.stringify(passages)))
        const { output } = yield* say(tenant, "Hello")
        expect(JSON.parse(output)).toMatchObject([
          { title: tenant.chatbot, content: "refunds", chunk: 1, similarity: 1 },
        ])
        expect(agent.asked[0]).toMatchObject({
          model: "local/extractive",
          toolsEnabled: false,
          instructions: { prompt: "Be a pirate.", chatbotName: "Some", personality: { tone: "friendly" } },
        })
      }),
    ))

  test("with an unknown chatbot, or another organization's, stores nothing and calls no model", () =>
    run(
      Effect.gen(function* () {
        const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
        for (const chatbot of [theirs.chatbot, ChatbotId.make(crypto.randomUUID())]) {
          expect((yield* Effect.flip(say({ ...mine, chatbot }, "Hello", "s")))._tag).toBe("NotFound")
        }
        expect((yield* AgentControl).asked).toEqual([])
        expect((yield* Effect.flip(stored(theirs, "s")))._tag).toBe("NotFound")
      }),
    ))

  test("completes although its session is deleted meanwhile, which stays deleted", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const [agent, conversations] = [yield* AgentControl, yield* Conversations]
        agent.reply = (input) =>
          Effect.andThen(
            Effect.orDie(as(tenant.organization)(conversations.remove(tenant.chatbot, sessionNamed("s")))),
            echo(input),
          )
        expect((yield* say(tenant, "Hello", "s")).output).toBe("Echo: Hello")
        expect((yield* Effect.flip(stored(tenant, "s")))._tag).toBe("NotFound")
      }),
    ))

  test("loses no message when many chat in one session at once", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const questions = Array.from({ length: 20 }, (_, index) => `Question ${index}`)
        const replies = yield* Effect.forEach(questions, (question) => say(tenant, question, "shared"), {
          concurrency: "unbounded",
        })
        expect(new Set(replies.map((reply) => reply.session_id)).size).toBe(1)
        expect(replies.map(({ output }) => output)).toEqual(questions.map((question) => `Echo: ${question}`))
        const said = yield* contents(tenant, "shared")
        expect(said.toSorted()).toEqual([...questions, ...questions.map((question) => `Echo: ${question}`)].toSorted())
      }),
    ))
})

describe("a model that fails", () => {
  test("leaves the user's message stored, and no reply", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        ;(yield* AgentControl).reply = () => Effect.fail(failed)
        expect(yield* Effect.flip(say(tenant, "Hello", "s"))).toBe(failed)
        expect(yield* contents(tenant, "s")).toEqual(["Hello"])
      }),
    ))

  test("leaves the steps that it completed, with their cost", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        ;(yield* AgentControl).reply = (input) =>
          Effect.gen(function* () {
            yield* tellStep(input, "Let me look.")
            yield* tellStep(input, "And there.")
            return yield* failed
          })
        expect(yield* Effect.flip(say(tenant, "Hello", "s"))).toBe(failed)
        const [, partial] = yield* stored(tenant, "s")
        expect(partial).toMatchObject({
          sender_type: "bot",
          content: "Let me look.\n\nAnd there.",
          tokens_used: 36,
          // The model that answered, which need not be the chatbot's own.
          model: "scripted-1",
          provider: "scripted",
          tool_calls: [stepOf("").toolCalls[0], stepOf("").toolCalls[0]],
          tool_results: [],
        })
      }),
    ))

  test("leaves its steps also when the client disconnects", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const reached = yield* Latch.make(false)
        ;(yield* AgentControl).reply = (input) =>
          Effect.andThen(tellStep(input, "As far as this."), Effect.andThen(reached.open, Effect.never))
        const chatting = yield* Effect.forkChild(say(tenant, "Hello", "s"))
        yield* reached.await
        yield* Fiber.interrupt(chatting)
        expect(Exit.hasInterrupts(yield* Fiber.await(chatting))).toBe(true)
        expect(yield* contents(tenant, "s")).toEqual(["Hello", "As far as this."])
      }),
    ))
})
