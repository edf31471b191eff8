import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { ChatTurn } from "../../../src/domain/chat/Chat.ts"
import { newTurns } from "../../../src/domain/chat/History.ts"
import { cost } from "../../lib/Growth.ts"

const turn = (role: ChatTurn["role"], content: string): ChatTurn => ({ role, content })

/** Texts of few different contents, so that repetitions are common. */
const turns = fc.array(
  fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content: fc.constantFrom("", "a", "b") }),
  { maxLength: 8 },
)

describe("the messages that a session does not hold yet", () => {
  test("include the only message of a request", () =>
    fc.assert(
      fc.property(turns, turns, (held, [sent = turn("user", "a")]) =>
        expect(newTurns([...held, sent], [sent])).toEqual([sent]),
      ),
    ))

  test("do not include the last message when another reply to it is requested", () => {
    const held = [turn("user", "a"), turn("assistant", "x"), turn("user", "b"), turn("assistant", "y")]
    expect(newTurns(held, [turn("user", "b")], true)).toEqual([])
    expect(newTurns(held, [turn("user", "c")], true)).toEqual([turn("user", "c")])
    expect(newTurns([], [turn("user", "b")], true)).toEqual([turn("user", "b")])
  })

  test("do not include a reply with the server's id, whatever its text, but do include a question with the client's id", () => {
    const held = [turn("user", "a"), { ...turn("assistant", "At noon."), id: "r1" }]
    const next = turn("user", "b")
    const shown = (id: string) => [turn("user", "a"), { ...turn("assistant", "Let me look.At noon."), id }, next]
    expect(newTurns(held, shown("r1"))).toEqual([next])
    expect(newTurns(held, shown("r2"))).toHaveLength(2)
    const first = { ...turn("user", "a"), id: "1" }
    expect(newTurns([first], [first, turn("assistant", "x"), { ...turn("user", "b"), id: "1" }])).toHaveLength(2)
  })

  test("do not include a reply that has the texts of earlier steps before it, as clients of OpenAI send it", () => {
    const next = turn("user", "b")
    const shown = [turn("user", "a"), turn("assistant", "Let me look.\n\nAt noon."), next]
    expect(newTurns([turn("user", "a"), turn("assistant", "At noon.")], shown)).toEqual([next])
    const empty = [turn("user", "a"), turn("assistant", "\n\nAt noon."), next]
    expect(newTurns([turn("user", "a"), turn("assistant", "At noon.")], empty)).toEqual([next])
    expect(
      newTurns([turn("user", "a"), turn("assistant", "")], [turn("user", "a"), turn("assistant", "x\n\n"), next]),
    ).toHaveLength(2)
  })

  test("do not include a reply that was cut off, when the client has more or less of it", () => {
    const next = turn("user", "b")
    const held = [turn("user", "a"), { ...turn("assistant", "At no"), isCutOff: true }]
    for (const seen of ["At n", "At no", "At noon, when"]) {
      expect(newTurns(held, [turn("user", "a"), turn("assistant", seen), next])).toEqual([next])
    }
    expect(newTurns(held, [turn("user", "a"), turn("assistant", "At one."), next])).toHaveLength(2)
    expect(newTurns(held, [turn("user", "a"), turn("assistant", ""), next])).toHaveLength(2)
    const whole = [turn("user", "a"), turn("assistant", "At no")]
    expect(newTurns(whole, [turn("user", "a"), turn("assistant", "At noon"), next])).toHaveLength(2)
  })

  test("include the message of a client that goes back in the conversation, any number of times", () => {
    const [a, x, b, y, c, z, d] = [
      turn("user", "a"),
      turn("assistant", "x"),
      turn("user", "b"),
      turn("assistant", "y"),
      turn("user", "c"),
      turn("assistant", "z"),
      turn("user", "d"),
    ] as const
    const held = [a, x, b, y]
    expect(newTurns(held, [a, x, c])).toEqual([c])
    expect(newTurns([...held, c, z], [a, x, c, z, d])).toEqual([d])
    expect(newTurns([...held, c, z], [a, x, b], true)).toEqual([b])
    expect(newTurns([...held, c, z], [a], true)).toEqual([a])
  })

  test("are the end of the request, so that the order stays", () =>
    fc.assert(
      fc.property(turns, turns, (held, sent) => {
        const fresh = newTurns(held, sent)
        expect(fresh).toEqual(sent.slice(sent.length - fresh.length))
      }),
    ))

  test("are exactly those that were added to the whole session, whatever repeats in it", () =>
    fc.assert(
      fc.property(turns, turns, (held, added) => {
        fc.pre(held.length + added.length > 1)
        expect(newTurns(held, [...held, ...added])).toEqual(added)
      }),
    ))

  test("are all messages when the session holds another conversation", () => {
    const sent = [turn("user", "c"), turn("assistant", "d"), turn("user", "e")]
    fc.assert(fc.property(turns, (held) => expect(newTurns(held, sent)).toEqual(sent)))
  })

  test("are the new ones when a client sends the last part of a long conversation", () =>
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 20 }), (length, shown) => {
        const held = Array.from({ length }, (_, index) => turn(index % 2 === 0 ? "user" : "assistant", `${index}`))
        const question = turn("user", "new")
        expect(newTurns(held, [...held.slice(-shown), question])).toEqual([question])
      }),
    ))
})

/** The fate of a reply: the client received it, or it was cut off after some text was stored, or before. */
type Outcome = "answered" | "broken" | "failed"
/** The next action of a client: a new question, or a retry, with or without the reply that it received. */
const steps = fc.array(
  fc.record({
    ask: fc.boolean(),
    outcome: fc.constantFrom<Outcome>("answered", "broken", "failed"),
  }),
  { minLength: 1, maxLength: 12 },
)

test("a client that sends its growing transcript, and retries it, stores each of its messages once and in order", () =>
  fc.assert(
    fc.property(steps, fc.boolean(), (steps, greeted) => {
      const session: Array<ChatTurn> = []
      const asked: Array<string> = []
      let transcript = greeted ? [turn("assistant", "Welcome!")] : []
      steps.forEach(({ ask, outcome }, index) => {
        const lastAsked = transcript.findLastIndex(({ role }) => role === "user")
        if (ask || lastAsked < 0) {
          asked.push(`question ${index}`)
          transcript = [...transcript, turn("user", `question ${index}`)]
        } else {
          transcript = transcript.slice(0, lastAsked + 1)
        }
        // The only message of a request is always new, so a retry of it cannot be distinguished from a repetition.
        if (transcript.length === 1 && !ask && session.length > 0) return
        session.push(...newTurns(session, transcript))
        const reply = turn("assistant", `answer ${index}`)
        if (outcome === "answered") transcript = [...transcript, reply]
        if (outcome !== "failed") session.push(outcome === "broken" ? turn("assistant", "") : reply)
      })
      const said = session.filter(({ role }) => role === "user").map(({ content }) => content)
      expect(said).toEqual(asked)
      expect(session.filter(({ content }) => content === "Welcome!")).toHaveLength(greeted ? 1 : 0)
    }),
  ))

describe("a session with more messages than one request may have", () => {
  const texts = (length: number, text: (index: number) => string) => Array.from({ length }, (_, index) => text(index))
  const of = (role: ChatTurn["role"]) => (content: string) => turn(role, content)
  // Computed each time, so that equal texts are different objects in memory.
  const long = (index: number) => `${index % 2}`.slice(1) + "a".repeat(5_000)

  test.each([
    ["equal questions", of("user"), texts(2_000, long), ["b", ...texts(999, long)]],
    ["equal replies", of("assistant"), texts(2_000, long), ["b", ...texts(999, long)]],
    [
      "replies that the client has with more text",
      of("assistant"),
      texts(2_000, (i) => `x${long(i)}`),
      texts(1_000, (i) => `\n\n${long(i)}`),
    ],
    [
      "replies of empty paragraphs only",
      of("assistant"),
      texts(2_000, (i) => "\n".repeat(2 + (i % 500))),
      texts(1_000, (i) => "\n".repeat(999 - (i % 40))),
    ],
  ] as const)("is compared at a cost that grows with its messages alone, with %s", async (_, turnOf, held, sent) => {
    const costOf = (share: number) => {
      const turns = [held, sent].map((all) => all.slice(0, all.length * share).map(turnOf))
      return cost(() => newTurns(turns[0] ?? [], turns[1] ?? []))
    }
    await costOf(0.1)
    // Ten times as many take ten times as long, and not a hundred times; what is below a hundredth of a second is noise.
    expect((await costOf(1)) / Math.max(10, await costOf(0.1))).toBeLessThan(40)
  })
})
