import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { languageOfReply } from "../../../src/language/Detection.ts"
import { smallTalkIn, withoutSmallTalk } from "../../../src/language/messages/SmallTalk.ts"
import { locales } from "../../../src/language/Locales.ts"
import { anyString } from "../../lib/Arbitraries.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

describe("small talk", () => {
  test.each([
    ["hiya!", "greeting", "en"],
    ["Hallo zusammen", "greeting", "de"],
    ["buenos dias", "greeting", "es"],
    ["GÜNAYDIN", "greeting", "tr"],
    ["สวัสดีครับ", "greeting", "th"],
    ["👋", "greeting", "en"],
    ["thx", "thanks", "en"],
    ["ok thanks a lot :)", "thanks", "en"],
    ["merci beaucoup", "thanks", "fr"],
    ["Danke für die Hilfe!", "thanks", "de"],
    ["谢谢你的帮助！", "thanks", "zh"],
    ["спасибо за помощь", "thanks", "ru"],
    ["Thanks, that was what I was looking for.", "thanks", "en"],
    ["👍", "thanks", "en"],
    ["🙏🙏", "thanks", "en"],
    ["tschuss", "goodbye", "de"],
    ["Thanks for your help, have a nice day!", "goodbye", "en"],
    ["До свидания", "goodbye", "ru"],
    ["who are you?", "about", "en"],
    ["Sind Sie ein Mensch?", "about", "de"],
    ["你是谁？", "about", "zh"],
    ["あなたはロボットですか？", "about", "ja"],
    ["what can you do?", "documents", "en"],
    ["What topics can I ask about?", "documents", "en"],
    ["Quels documents avez-vous ?", "documents", "fr"],
    ["Jakie masz dokumenty?", "documents", "pl"],
    ["Hi! Who are you, and what can you do?", "documents", "en"],
  ] as const)("is recognized in %p, which is a %s in %s", (message, kind, language) => {
    expect([smallTalkIn(bounded(message)), languageOfReply(bounded(message))]).toEqual([kind, language])
  })

  test.each([
    "what can you do with the Team plan?",
    "What do you know about refunds?",
    "hi, how much is the ticket?",
    "Thanks, and when do you open?",
    "Thank-you cards",
    "Which documents do I need?",
    "Goodbye party",
    "help desk hours",
    "Thanks, refund policy",
    "Guten Morgen Apotheke",
    "🍕",
    "?",
    "",
  ])("is not recognized in %p", (message) => expect(smallTalkIn(bounded(message))).toBeUndefined())

  test("has at most a dozen phrases of each kind in a language", () => {
    for (const { smallTalk } of Object.values(locales)) {
      for (const list of Object.values(smallTalk)) expect(list.split(", ").length).toBeLessThanOrEqual(12)
    }
  })

  test("may name the chatbot", () => {
    expect(smallTalkIn(bounded("Hi Ada!"), { name: bounded("Ada") })).toBe("greeting")
    expect(smallTalkIn(bounded("Ada"), { name: bounded("Ada") })).toBeUndefined()
    expect(smallTalkIn(bounded("Hi Ada!"))).toBeUndefined()
  })

  test("takes leave with a word that also greets only later in a conversation", () => {
    expect([smallTalkIn(bounded("Ciao!")), smallTalkIn(bounded("Ciao!"), { isFirst: false })]).toEqual([
      "greeting",
      "goodbye",
    ])
  })

  test("is recognized in every phrase of every language, and the phrases of greeting in their language", () => {
    for (const [language, { smallTalk }] of Object.entries(locales)) {
      const { about, documents, goodbye, greeting, thanks } = smallTalk
      for (const list of [about, documents, goodbye, greeting, thanks]) {
        for (const phrase of list.split(", "))
          expect([language, phrase, smallTalkIn(bounded(phrase))]).not.toContain(undefined)
      }
      expect([language, languageOfReply(bounded(`${greeting} ${thanks}`))]).toEqual([language, language])
    }
  })

  test.each([
    ["hi, how much is the ticket?", "how much is the ticket?"],
    ["hi how much is the ticket?", "how much is the ticket?"],
    ["Hello there! Can you tell me how long refunds take? Thanks!", "Can you tell me how long refunds take?"],
    ["你好，请问门票多少钱？", "请问门票多少钱？"],
    ["morning tours?", "morning tours?"],
    ["Guten Tag, wann haben Sie geöffnet?", "wann haben Sie geöffnet?"],
    ["Tag der offenen Tür?", "Tag der offenen Tür?"],
    ["Hello", "Hello"],
  ])("around the question in %p is left out", (message, rest) =>
    expect<string>(withoutSmallTalk(bounded(message))).toBe(rest),
  )

  test("is looked for in any text", () =>
    fc.assert(
      fc.property(anyString, (text) => {
        const message = bounded(text)
        smallTalkIn(message)
        expect<string>(message).toContain(withoutSmallTalk(message))
      }),
    ))
})

describe("the language of a reply", () => {
  test.each([
    ["Was kostet das?", [], "de"],
    ["Refund?", ["Die Erstattung dauert fünf Tage und ist kostenlos."], "de"],
    ["Refund?", ["XK-47", "¿Cuánto cuesta?"], "es"],
    ["Refund?", [], "en"],
    ["", [], "en"],
    ["Скільки коштує квиток?", [], "uk"],
    ["Сколько стоит билет?", [], "ru"],
    ["ساعات کاری شما چیست؟", [], "fa"],
    ["ما هي ساعات العمل؟", [], "ar"],
    ["Hvor mye koster det?", [], "no"],
    ["Hvad koster det?", [], "da"],
    ["Ile kosztuje bilet?", [], "pl"],
    ["Kolik stojí lístek?", [], "cs"],
    ["Vé giá bao nhiêu?", [], "vi"],
    // The words of the question are those of several languages, of which the passage has one.
    ["En bil?", ["Jag har en bil som är röd, och den kostar inte mycket."], "sv"],
  ] as const)("to %p after %p is %s", (message, others, language) =>
    expect(
      languageOfReply(
        bounded(message),
        others.map((other) => bounded(other)),
      ),
    ).toBe(language),
  )
})
