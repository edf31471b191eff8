import { describe, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { checkReply, type Given } from "../../../src/agent/grounding/Grounding.ts"
import { groundedReplies } from "./GroundedReplies.ts"

const handbook = `# Returns

Customers may return items within 30 days of delivery. Refunds take five working days and cost 1,000 points at most.
Sale items are not refunded. Maria Jansen in Rotterdam handles returns. The policy applies from 3 May 2024, at 2 pm.`

const check = (reply: string, given: Partial<Given> = {}) =>
  Effect.runPromise(checkReply(reply, { texts: [handbook], said: ["How do returns work?"], ...given }))

/** The reasons for which sentences of a reply are marked. */
const reasons = async (reply: string, given?: Partial<Given>) =>
  (await check(reply, given)).flatMap(({ verdict }) =>
    verdict === undefined || verdict === "unsure" ? [] : [verdict.reason],
  )

describe("a sentence is supported", () => {
  test.each([
    "Refunds take 5 working days.",
    "It takes five working days until refunds arrive.",
    "Refunds cost 1.000 points at most.",
    "Refunds cost 1000 points at most.",
    "The policy applies from 2024-05-03.",
    "The policy applies from 03.05.2024, at 14:00.",
    "Jansen's team in Rotterdam handles the returns.",
    "Refunds are not given for sale items.",
  ])("in other words and forms: %s", async (reply) => expect(await reasons(reply)).toEqual([]))

  test("in digits of another script", async () => {
    const texts = ["يستغرق رد المبلغ 5 أيام عمل من تاريخ الطلب."]
    expect(await reasons("يستغرق رد المبلغ ٥ أيام عمل.", { texts })).toEqual([])
    expect(await reasons("يستغرق رد المبلغ ٩ أيام عمل.", { texts })).toEqual(["number"])
  })

  test("by code, and by a long text without sentences", async () => {
    const code = "# Server\n\n```\nexport PORT=4710\n```\n"
    const long = JSON.stringify(
      Array.from({ length: 60 }, (_, at) => ({ seat: at + 300, deck: "upper" })),
      null,
      1,
    )
    expect(await reasons("The port of the server is 4710.", { texts: [code] })).toEqual([])
    expect(await reasons("Seat 355 is on the upper deck.", { texts: [long] })).toEqual([])
    expect(await reasons("Seat 755 is on the upper deck.", { texts: [long] })).toEqual(["number"])
  })

  test("by the answer of a tool, the prompt, or the user's own words", async () => {
    const texts = [JSON.stringify({ order: 4711, status: "shipped", carrier: "Kestrel" }, null, 1)]
    expect(await reasons("Your order 4711 was shipped with Kestrel.", { texts })).toEqual([])
    const said = ["I am Tobias Brandt and have paid 250 euros."]
    expect(await reasons("Refunds take five working days, also for your 250 euros, Tobias.", { said })).toEqual([])
  })
})

describe("a sentence is marked", () => {
  test.each([
    ["number", "Refunds take 9 working days."],
    ["number", "The policy applies from 2024-06-03."],
    ["name", "Returns are handled by Petra Hoffmann."],
    ["negation", "Sale items are refunded."],
    ["number", "Refunds take five working weeks."],
    ["number", "Refunds cost at least 1,000 points."],
    ["number", "Returns are possible within 30 km of delivery."],
  ] as const)("for its %s: %s", async (reason, reply) => expect(await reasons(reply)).toEqual([reason]))

  test("for a number that is its neighbour's, in a table as well as in a sentence", async () => {
    const table = "| Plan | Price | Storage |\n|---|---|---|\n| Basic | $10 | 50 GB |\n| Team | $25 | 200 GB |"
    const given = { texts: [table, "Adults pay £14, children £6."] }
    expect(await reasons("Team costs $25 and has 200 GB.", given)).toEqual([])
    expect(await reasons("Team costs $10.", given)).toEqual(["number"])
    expect(await reasons("Basic has 200 GB of storage.", given)).toEqual(["number"])
    expect(await reasons("Children pay £14.", given)).toEqual(["number"])
    expect(await reasons("Two adults and a child pay 2 × £14 + £6 = £34.", given)).toEqual([])
  })

  test("for a number that belongs to something else in the passage", async () => {
    expect(await reasons("Refunds take 30 working days.", { said: [] })).toEqual(["number"])
  })
})

describe("no claim is seen", () => {
  test.each([
    "Hello!",
    "I hope this helps! Let me know if you have any other questions.",
    "The documents do not mention the Berlin office.",
    "Would you like to know more about Berlin?",
    "```\nconst days = 99\n```",
    "# Shipping from Berlin",
  ])("in %s", async (reply) => expect(await reasons(reply)).toEqual([]))
})

test("words that no text has are left to a judge, and mark nothing", async () => {
  const checked = await check("A courier collects the parcel at your home free of charge.")
  expect(checked.map(({ verdict }) => verdict)).toEqual(["unsure"])
})

test("of short replies in many languages, few false ones pass, and hardly any true one is marked", async () => {
  const shareMarked = async (isTrue: boolean) => {
    const some = groundedReplies.filter((reply) => reply.isTrue === isTrue)
    const marked = await Promise.all(
      some.map((reply) => reasons(reply.text, { texts: reply.passages, said: [reply.question] })),
    )
    return marked.filter((each) => each.length > 0).length / some.length
  }
  expect(await shareMarked(true)).toBeLessThan(0.03)
  expect(await shareMarked(false)).toBeGreaterThan(0.9)
})

test("the place of a sentence is that in the reply as it was written, with its Markdown", async () => {
  const wrong = "- **Refunds** take 9 working days 🎉."
  const reply = `Hello! 👋\n\n${wrong}\n- Sale items are not refunded.\n`
  const marked = (await check(reply)).find(({ verdict }) => verdict !== undefined)
  expect(reply.slice(marked?.claim.start, marked?.claim.end)).toBe(wrong)
})

test("words in another language than the documents' cannot decide, but numbers and names can", async () => {
  const texts = ["Rücksendungen sind innerhalb von 30 Tagen möglich. Frau Jansen kümmert sich darum."]
  const said = ["How do returns work?"]
  const verdicts = async (reply: string) => (await check(reply, { texts, said })).map(({ verdict }) => verdict)
  expect(await verdicts("You can send things back within 30 days.")).toEqual(["unsure"])
  expect(await verdicts("You can send things back within 40 days.")).toMatchObject([{ reason: "number" }])
  expect(await verdicts("You can send things back to Ms Hoffmann.")).toMatchObject([{ reason: "name" }])
})

test("a hostile reply and many passages let other work go on", async () => {
  let turns = 0
  const other = Effect.forever(
    Effect.suspend(() => {
      turns++
      return Effect.yieldNow
    }),
  )
  const text = Array.from({ length: 400 }, (_, at) => `Word${at} stands beside ${at * 7} and Name${at}`).join(". ")
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(other)
    yield* checkReply("a1 ".repeat(20_000) + "*".repeat(40_000), {
      texts: Array.from({ length: 50 }, (_, at) => text.replaceAll("Word", `W${at}o`)),
      said: ["*".repeat(10_000)],
    })
    yield* Fiber.interrupt(fiber)
  })
  await Effect.runPromise(run)
  expect(turns).toBeGreaterThan(20)
})
