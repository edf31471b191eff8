import { describe, expect, test } from "bun:test"
import { TopicId } from "../../src/domain/topics/Topic.ts"
import { Grouping } from "../../src/topics/Grouping.ts"
import { namesIn } from "../../src/topics/ModelNames.ts"
import { nameOf } from "../../src/topics/Names.ts"
import { termsOf } from "../../src/topics/QuestionTerms.ts"
import { publicQuestion, typicalFirst } from "../../src/topics/Typical.ts"

/** Groups questions, and returns the groups with their names. */
const group = (questions: ReadonlyArray<string>, grouping = new Grouping()) => {
  const ids = questions.map((question) =>
    grouping.add({ newId: TopicId.make(crypto.randomUUID()), terms: termsOf(question) }),
  )
  for (const topic of grouping.candidates) grouping.merge(topic)
  const { merged, topics } = grouping.takeChanges()
  return topics.map((topic) => ({
    topic,
    name: nameOf(grouping, topic),
    questions: questions.filter((_, index) => (merged.get(ids[index] ?? topic.id) ?? ids[index]) === topic.id),
  }))
}

const questionsOf = (questions: ReadonlyArray<string>) => group(questions).map((topic) => topic.questions)

const english = [
  ["How do I get a refund for my order?", "Refund of an order", "When is the refund of my order paid?"],
  ["Do you ship to Norway?", "Shipping to Norway costs how much?", "How long does shipping to Norway take?"],
  ["Forgot my password", "How can I reset the password?", "The password reset e-mail never came"],
]
const german = [
  ["Wie bekomme ich eine Rückerstattung?", "Rückerstattung der Bestellung", "Wann kommt die Rückerstattung?"],
  ["Liefern Sie nach Österreich?", "Was kostet der Versand nach Österreich?", "Versand Österreich Dauer"],
]
const chinese = [
  ["怎么申请退款？", "退款什么时候到账？", "我的订单可以退款吗？"],
  ["忘记密码怎么办？", "如何重置密码？", "密码重置邮件没有收到"],
]

describe("questions", () => {
  test.each([
    ["English", english],
    ["German", german],
    ["Chinese", chinese],
  ])("of one subject are one topic, and those of others are not, in %s", (_, topics) => {
    // One of each in turn, as people ask.
    const mixed = [0, 1, 2].flatMap((place) => topics.flatMap((questions) => questions.slice(place, place + 1)))
    const sorted = (groups: ReadonlyArray<ReadonlyArray<string>>) => groups.map((some) => some.toSorted()).toSorted()
    expect(sorted(questionsOf(mixed))).toEqual(sorted(topics))
  })

  test("that share no more than words of asking are apart", () => {
    expect(questionsOf(["How can I park?", "How can I pay?", "What is this?", "When can I call?"])).toHaveLength(4)
  })

  test("are grouped alike when the topics were stored in between", () => {
    const mixed = english.flat()
    const first = new Grouping()
    const stored = group(mixed.slice(0, 6), first).map(({ name, topic }) => ({
      ...topic,
      name,
      centre: JSON.parse(JSON.stringify(first.centreOf(topic))),
    }))
    const later = new Grouping()
    for (const topic of stored) later.load(topic)
    const [refund] = stored
    expect(later.add({ newId: TopicId.make(crypto.randomUUID()), terms: termsOf("refund of my order") })).toBe(
      refund?.id ?? TopicId.make(crypto.randomUUID()),
    )
  })

  test("without a word are a topic of their own, and no question takes long", () => {
    expect(questionsOf(["???", "!!!", "🙂"]).flat()).toHaveLength(3)
    const long = `${"refund ".repeat(100_000)}${"é́́".repeat(50_000)}`
    expect(termsOf(long).length).toBeLessThan(50)
  })

  test("have a similar meaning by their vectors, where a model compares meanings", () => {
    const grouping = new Grouping({ model: "m", unrelatedCosine: 0.2 })
    const add = (question: string, ...vector: ReadonlyArray<number>) =>
      grouping.add({
        newId: TopicId.make(crypto.randomUUID()),
        terms: termsOf(question),
        vector: Float32Array.from(vector),
      })
    const refund = add("Refund?", 1, 0)
    expect(add("Money back!", 0.96, 0.28)).toBe(refund)
    expect(add("Opening hours", 0, 1)).not.toBe(refund)
  })
})

describe("topics", () => {
  test("become one when questions in between make them similar, and keep the name that a person gave", () => {
    const grouping = new Grouping()
    const centre = (size: number, ...stems: ReadonlyArray<string>) => ({
      size,
      terms: stems.map((stem) => [stem, size, stem, ""] as const),
    })
    const [large, small] = [TopicId.make(crypto.randomUUID()), TopicId.make(crypto.randomUUID())]
    grouping.load({ id: large, name: "…", state: "open", isNamed: false, centre: centre(15, "refund", "money") })
    grouping.load({ id: small, name: "Refunds", state: "open", isNamed: true, centre: centre(3, "refund", "money") })
    grouping.add({ newId: TopicId.make(crypto.randomUUID()), terms: termsOf("refund money") })
    for (const topic of grouping.candidates) grouping.merge(topic)
    const { merged, topics } = grouping.takeChanges()
    expect(Array.from(merged)).toEqual([[small, large]])
    expect(topics).toMatchObject([{ id: large, name: "Refunds", isNamed: true, size: 19 }])
  })

  test("of which people have ignored one stay apart", () => {
    const grouping = new Grouping()
    const centre = { size: 3, terms: [["refund", 3, "refund", ""] as const] }
    const ids = [TopicId.make(crypto.randomUUID()), TopicId.make(crypto.randomUUID())]
    for (const [index, id] of ids.entries()) {
      grouping.load({ id, name: "", state: index === 0 ? "open" : "ignored", isNamed: false, centre })
    }
    grouping.add({ newId: TopicId.make(crypto.randomUUID()), terms: termsOf("refund") })
    for (const topic of grouping.candidates) grouping.merge(topic)
    expect(grouping.takeChanges().merged.size).toBe(0)
  })

  test("are named by their most telling terms, in the spelling of users", () => {
    const names = (questions: ReadonlyArray<string>) => group(questions).map(({ name }) => name)
    expect(names(["Can I pay by credit card?", "Which credit card do you take?", "credit card declined"])).toEqual([
      "credit card",
    ])
    expect(names(["Is the iPhone app free?", "iPhone app crashes", "Where is the iPhone app?"])).toEqual(["iPhone app"])
    expect(names(["怎么申请退款？", "退款什么时候到账？"])[0]).toContain("退款")
  })

  test("hold no addresses and no long numbers of users", () => {
    const [topic] = group([
      "Where is order 4711 2233 for ada@example.com?",
      "Where is order 99887766 (https://a.example/x)?",
    ])
    expect(JSON.stringify([topic?.name, Array.from(topic?.topic.terms ?? [])])).not.toMatch(/ada|example|4711|9988/)
    expect(topic?.name).toBe("order")
  })

  test("take names from a model's lines, and nothing else", () => {
    expect(Array.from(namesIn('1. Refunds\n 2) "Shipping to Norway"\nSure!\n9. Other\n', 2))).toEqual([
      [0, "Refunds"],
      [1, "Shipping to Norway"],
    ])
  })
})

describe("a suggested question", () => {
  test("is one that most others resemble", () => {
    const [first] = typicalFirst(["refund order", "When is the refund of my order paid by the bank?", "Hello refund"])
    expect(first).toBe("refund order")
  })

  test("has only words that several users have written", () => {
    const shared = ["How long does shipping to Norway take?", "How long does shipping to Norway take now?"]
    expect(publicQuestion([...shared, "Shipping to Norway for Ada Lovelace?"])).toBe(shared[0])
    expect(publicQuestion(["Where is Ada Lovelace's parcel?", "Where is Bob Miller's parcel?"])).toBeUndefined()
    expect(publicQuestion(["Is 12345678 shipped?", "Is 12345678 shipped?"])).toBeUndefined()
  })
})
