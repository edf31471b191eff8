import { afterAll, beforeEach, describe, expect } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import type { ChatTurn } from "../../../src/domain/chat/Chat.ts"
import { Chat } from "../../../src/services/conversations/Chat.ts"
import { chatAttempt } from "../../../src/services/conversations/ChatAttempt.ts"
import type { ChatRequest } from "../../../src/services/conversations/ChatHistory.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import {
  bot,
  chat,
  chatLayer,
  contents,
  echo,
  failed,
  makeTenantWith,
  PROMPT_TOKENS,
  reset,
  say,
  shown,
  tellStep,
  type Tenant,
  user,
} from "../../lib/Chatting.ts"
import { AgentControl, replyOf } from "../../lib/Layers.ts"
import { as, asCaller, makeTenant, sessionNamed } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(chatLayer)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

describe("a single message", () => {
  it("is answered with the history of the session, up to the limit", function* () {
    const tenant = yield* makeTenant
    yield* say(tenant, "1", "s")
    yield* say(tenant, "2", "s")
    expect(yield* shown).toEqual(["1", "Echo: 1", "2"])
    for (const question of ["3", "4", "5"]) yield* say(tenant, question, "s")
    expect(yield* shown).toEqual(["2", "Echo: 2", "3", "Echo: 3", "4", "Echo: 4", "5"])
  })

  it("that repeats the last one is stored again", function* () {
    const tenant = yield* makeTenant
    yield* say(tenant, "same", "s")
    yield* say(tenant, "same", "s")
    expect(yield* contents(tenant, "s")).toEqual(["same", "Echo: same", "same", "Echo: same"])
  })
})

describe("a long conversation", () => {
  const long = (text: string) => text.padEnd(2_000, ".")

  it("is read only as far back as the prompt may reach", function* () {
    const tenant = yield* makeTenant
    expect(PROMPT_TOKENS * 3).toBeLessThan(2 * 2_000)
    for (const question of ["1", "2", "3"]) yield* say(tenant, long(question), "s")
    yield* say(tenant, "last", "s")
    expect(yield* shown).toEqual([`Echo: ${long("3")}`, "last"])
  })

  it("is recognized when the client sends it, beyond the prompt and with replies that the client does not know", function* () {
    const tenant = yield* makeTenant
    const questions = ["1", "2", "3", "4"].map((number) => user(long(number)))
    for (const question of questions) yield* chat(tenant, [question], "s")
    yield* chat(tenant, [...questions, user("last")], "s")
    expect(yield* contents(tenant, "s")).toEqual([
      ...questions.flatMap(({ content }) => [content, `Echo: ${content}`]),
      "last",
      "Echo: last",
    ])
  })

  it("is recognized by short messages, however long the replies between them are", function* () {
    const tenant = yield* makeTenant
    const agent = yield* AgentControl
    agent.reply = ({ history }) => Effect.succeed(replyOf(long(`Echo: ${history.at(-1)?.content}`)))
    const questions = ["1", "2", "3", "4"].map(user)
    for (const question of questions) yield* chat(tenant, [question], "s")
    yield* chat(tenant, [...questions, user("last")], "s")
    expect(yield* contents(tenant, "s")).toHaveLength(10)
    // A reply that was cut off, of which the client has only the beginning.
    agent.reply = (input) => Effect.andThen(tellStep(input, long("Broken")), Effect.fail(failed))
    yield* Effect.flip(chat(tenant, [user("half")], "s"))
    agent.reply = echo
    yield* chat(tenant, [user("half"), bot("Bro"), user("again")], "s")
    expect((yield* contents(tenant, "s")).slice(10)).toEqual(["half", long("Broken"), "again", "Echo: again"])
  })
})

describe("several messages", () => {
  it("of a growing transcript are stored once each, beyond the prompt and across failures", function* () {
    const tenant = yield* makeTenant
    const agent = yield* AgentControl
    let transcript: ReadonlyArray<ChatTurn> = [bot("Welcome!")]
    const questions = Array.from({ length: 12 }, (_, index) => `Question ${index}`)
    for (const [index, question] of questions.entries()) {
      transcript = [...transcript, user(question)]
      if (index % 3 === 1) {
        // The reply is cut off, the client receives nothing of it and tries again.
        agent.reply = (input) => Effect.andThen(tellStep(input, `Broken ${index}`), Effect.fail(failed))
        yield* Effect.flip(chat(tenant, transcript, "s"))
        agent.reply = echo
      }
      const { output } = yield* chat(tenant, transcript, "s")
      transcript = [...transcript, bot(output)]
    }
    const said = yield* contents(tenant, "s")
    expect(said.filter((content) => !content.startsWith("Broken"))).toEqual(transcript.map(({ content }) => content))
    expect(said.filter((content) => content.startsWith("Broken"))).toHaveLength(4)
  })
})

describe("a chatbot that asks for the e-mail address", () => {
  const askingTenant = makeTenantWith({ isRequestUserInfoEnabled: true })
  const session = ({ organization, chatbot }: Tenant) =>
    Conversations.use((conversations) => as(organization)(conversations.get(chatbot, sessionNamed("s"))))

  it("asks once more if the user says something else, and then answers without an address", function* () {
    const tenant = yield* askingTenant
    for (const text of ["What is the price of it?", "me@nowhere"]) {
      expect((yield* say(tenant, text, "s")).output).toContain("e-mail address")
    }
    expect((yield* AgentControl).asked).toEqual([])
    expect((yield* say(tenant, "And when does it come?", "s")).output).toBe("Echo: And when does it come?")
    expect(yield* shown).toEqual(["What is the price of it?", "me@nowhere", "And when does it come?"])
    // Also if the question is beyond the part of the session that is read.
    for (const text of ["1", "2", "3", "4"]) {
      expect((yield* say(tenant, text, "s")).output).toBe(`Echo: ${text}`)
    }
    expect((yield* session(tenant)).user_info).toEqual({})
  })

  it("accepts a refusal, answers the question that had to wait, and does not ask again", function* () {
    const tenant = yield* askingTenant
    expect((yield* say(tenant, "Was kostet es, ein Paket zu senden?", "s")).output).toContain("E-Mail-Adresse")
    expect((yield* say(tenant, "Nein, danke!", "s")).output).toBe("Echo: Was kostet es, ein Paket zu senden?")
    expect(yield* shown).toEqual(["Was kostet es, ein Paket zu senden?"])
    for (const text of ["1", "2", "3", "4", "5"]) {
      expect((yield* say(tenant, text, "s")).output).toBe(`Echo: ${text}`)
    }
    // An address that the user gives later is stored nevertheless.
    yield* say(tenant, "me@example.com", "s")
    expect((yield* session(tenant)).user_info).toEqual({ email: "me@example.com" })
    yield* say(tenant, "other@example.com", "s")
    expect((yield* session(tenant)).user_info).toEqual({ email: "me@example.com" })
  })

  it("answers a question that comes together with the refusal", function* () {
    const tenant = yield* askingTenant
    yield* say(tenant, "What is the price of it?", "s")
    const text = "I'd rather not. How long does it take to Paris?"
    expect((yield* say(tenant, text, "s")).output).toBe(`Echo: ${text}`)
    expect(yield* shown).toEqual(["What is the price of it?", text])
  })

  it('does not take a "no" for a refusal if it has not asked', function* () {
    const tenant = yield* askingTenant
    expect((yield* say(tenant, "No", "s")).output).toContain("e-mail address")
    expect((yield* say(tenant, "no", "s")).output).toBe("Echo: No")
    yield* say(tenant, "Is it open on Sundays?", "s")
    expect((yield* say(tenant, "no", "s")).output).toBe("Echo: no")
  })

  it("recognizes its question and the answer in a transcript that the client keeps", function* () {
    const tenant = yield* askingTenant
    const question = user("What is the price of it?")
    const request = bot((yield* chat(tenant, [question])).output)
    expect(request.content).toContain("e-mail address")
    const declined = [question, request, user("no thanks")]
    expect((yield* chat(tenant, declined)).output).toBe(`Echo: ${question.content}`)
    const later = yield* chat(tenant, [...declined, bot("Five."), user("Why?")])
    expect(later.output).toBe("Echo: Why?")
    expect(yield* shown).toEqual([question.content, "Five.", "Why?"])
    const given = [question, request, user("me@example.com"), bot("Five."), user("Why?")]
    const { output, session_id } = yield* chat(tenant, given)
    expect(output).toBe("Echo: Why?")
    const { user_info } = yield* Conversations.use((conversations) =>
      as(tenant.organization)(conversations.get(tenant.chatbot, sessionNamed(session_id))),
    )
    expect(user_info).toEqual({ email: "me@example.com" })
  })

  it("answers at once if the question comes with an address", function* () {
    const tenant = yield* askingTenant
    const question = "I am me@example.com and would like to know what is the price of a parcel?"
    expect((yield* say(tenant, question, "s")).output).toBe(`Echo: ${question}`)
    expect((yield* session(tenant)).user_info).toEqual({ email: "me@example.com" })
  })

  it("answers the question that had to wait also if the client sends its transcript", function* () {
    const tenant = yield* askingTenant
    const question = user("What is the price of a parcel?")
    const { output } = yield* chat(tenant, [question], "s")
    yield* chat(tenant, [question, bot(output), user("me@example.com")], "s")
    expect(yield* shown).toEqual([question.content])
  })
})

describe("an attempt at a chat after one that was cut off", () => {
  const ask = (tenant: Tenant, request: Partial<ChatRequest> & Pick<ChatRequest, "messages">) =>
    Chat.use(({ reply }) =>
      asCaller(tenant.organization)(reply(tenant.chatbot, { platform: "web", sessionToken: undefined, ...request })),
    )
  const tries = () => {
    const operation = Bun.randomUUIDv7()
    return [chatAttempt(operation, false), chatAttempt(operation, true)] as const
  }
  const failOnce = Effect.map(AgentControl, (agent) => {
    agent.reply = () => Effect.fail(failed)
  })

  it("goes on in the session that the first one has opened, and stores its message and its reply once", function* () {
    const tenant = yield* makeTenant
    const [first, second] = tries()
    yield* failOnce
    yield* Effect.flip(ask(tenant, { messages: [user("same")], attempt: first }))
    yield* Effect.flip(ask(tenant, { messages: [user("same")], attempt: second }))
    yield* reset
    const answer = yield* ask(tenant, { messages: [user("same")], attempt: second })
    expect([answer.session_id, answer.message_id]).toEqual([first.session, first.reply])
    // As if the server had died after it stored the reply, and before it kept the answer.
    yield* ask(tenant, { messages: [user("same")], attempt: second })
    expect(yield* contents(tenant, answer.session_id)).toEqual(["same", "Echo: same"])
    expect(yield* shown).toEqual(["same"])
  })

  it("stores a message that the first one did not store, although the session ends with the same words", function* () {
    const tenant = yield* makeTenant
    yield* say(tenant, "same", "s")
    const [, second] = tries()
    yield* ask(tenant, { messages: [user("same")], sessionToken: "s", attempt: second })
    expect(yield* contents(tenant, "s")).toEqual(["same", "Echo: same", "same", "Echo: same"])
  })

  it("shows the model the same messages as the first one, also where its message replaces another", function* () {
    const tenant = yield* makeTenant
    yield* say(tenant, "1", "s")
    yield* ask(tenant, { messages: [{ ...user("wrong"), id: "m" }], sessionToken: "s" })
    const [first, second] = tries()
    const request = { messages: [{ ...user("right"), id: "n" }], sessionToken: "s", replaces: "m" }
    yield* failOnce
    yield* Effect.flip(ask(tenant, { ...request, attempt: first }))
    yield* reset
    yield* ask(tenant, { ...request, attempt: second })
    expect(yield* shown).toEqual(["1", "Echo: 1", "right"])
    expect(yield* contents(tenant, "s")).toEqual(["1", "Echo: 1", "wrong", "Echo: wrong", "right", "Echo: right"])
  })
})
