import { describe, expect, test } from "bun:test"
import { TopicId } from "../../src/domain/topics/Topic.ts"
import { Grouping } from "../../src/topics/Grouping.ts"
import { nameOf } from "../../src/topics/TopicNames.ts"
import { termsOf } from "../../src/topics/QuestionTerms.ts"
import { publicQuestion, typicalFirst } from "../../src/topics/Typical.ts"

const newId = () => TopicId.make(crypto.randomUUID())

/** Groups questions, and returns the groups with their names. */
const group = (questions: ReadonlyArray<string>, grouping = new Grouping()) => {
  const added = questions.map((question) => ({
    question,
    topic: grouping.add({ newId: newId(), terms: termsOf(question) }),
  }))
  return Array.from(
    Map.groupBy(added, ({ topic }) => topic),
    ([topic, some]) => ({ topic, name: nameOf(grouping, topic), questions: some.map(({ question }) => question) }),
  )
}

const questionsOf = (questions: ReadonlyArray<string>) => group(questions).map((topic) => topic.questions)

const english = [
  ["How do I get a refund for my order?", "Refund of an order", "When is the refund of my order paid?"],
  ["Do you ship to Norway?", "Shipping to Norway costs how much?", "How long does shipping to Norway take?"],
  ["Forgot my password", "How can I reset the password?", "The password reset e-mail never came"],
]
const german = [
  ["Wie bekomme ich eine Rückerstattung?", "Rückerstattung der Bestellung", "Wann kommt die Rückerstattung?"],
  ["Versand nach Österreich möglich?", "Was kostet der Versand nach Österreich?", "Versand Österreich Dauer"],
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
    const first = new Grouping()
    const stored = group(english.flat().slice(0, 6), first).map(({ topic }) => ({
      id: topic.id,
      centre: JSON.parse(JSON.stringify(first.centreOf(topic))),
    }))
    const later = new Grouping()
    for (const topic of stored) later.load(topic)
    expect(later.add({ newId: newId(), terms: termsOf("refund of my order") })).toMatchObject({
      id: stored[0]?.id,
      size: 4,
    })
  })

  test("without a word are a topic of their own, and no question takes long", () => {
    expect(questionsOf(["???", "!!!", "🙂"]).flat()).toHaveLength(3)
    const long = `${"refund ".repeat(100_000)}${"é́́".repeat(50_000)}`
    expect(termsOf(long).length).toBeLessThan(50)
  })

  test("have a similar meaning by their vectors, where a model compares meanings", () => {
    const grouping = new Grouping("m")
    const add = (question: string, ...vector: ReadonlyArray<number>) =>
      grouping.add({ newId: newId(), terms: termsOf(question), vector: Float32Array.from(vector) })
    for (const question of ["Opening hours", "Parking", "Parcels"]) add(question, 0, 1, 0)
    const refund = add("Refund?", 1, 0, 0)
    expect(add("Money back!", 0.96, 0.28, 0)).toBe(refund)
    expect(add("Dogs on board", 0, 0, 1)).not.toBe(refund)
  })

  test("have no similar meaning where all vectors are alike, as those of a language that the model does not know", () => {
    const grouping = new Grouping("m")
    const ids = ["Возврат денег", "Часы работы", "Парковка", "Доставка", "Собаки на борту"].map((question, index) =>
      grouping.add({
        newId: newId(),
        terms: termsOf(question),
        vector: Float32Array.from([Math.cos(index / 10), Math.sin(index / 10)]),
      }),
    )
    expect(new Set(ids).size).toBe(5)
  })
})

describe("topics", () => {
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
