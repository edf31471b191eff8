import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { findEmail, isOnlyEmail } from "../../../src/domain/chat/EmailAddress.ts"
import { refusalIn } from "../../../src/language/messages/Refusals.ts"
import { emailGate, emailRequest } from "../../../src/services/conversations/EmailGate.ts"
import { anyLongString, anyString } from "../../lib/Arbitraries.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

const word = fc.string({ unit: fc.constantFrom(..."abcxyz019"), minLength: 1, maxLength: 10 })
const address = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.array(word, { minLength: 1, maxLength: 3 }))
  .map(([local, domain]) => `${local.join(".")}@${domain.join(".")}.example`)

describe("an e-mail address", () => {
  test("is found in any text around it", () =>
    fc.assert(
      fc.property(
        address,
        fc.constantFrom("", "my address is ", "<", "mailto:", "(", "Адрес: ", "邮箱：", "\n"),
        fc.constantFrom("", ".", ", thanks!", ">", ")", "。", "?"),
        (email, before, after) => expect(findEmail(before + email + after)).toBe(email),
      ),
    ))

  test("in other scripts is found, too", () => {
    expect(findEmail("用户@例子.广告")).toBe("用户@例子.广告")
    expect(findEmail("почта@пример.рф")).toBe("почта@пример.рф")
  })

  test.each(["", "@", "me@", "@example.com", "me@example", "me @ example.com", "a@b.c", "me@-.com", "1@2.3"])(
    "is not in %p",
    (text) => expect(findEmail(text)).toBeUndefined(),
  )

  test("is no longer than an address may be, and follows at most nineteen other at signs", () => {
    const domain = (length: number) => `${`${"d".repeat(49)}.`.repeat(5)}${"d".repeat(length - 250)}`
    expect(findEmail(`${"a".repeat(65)}@${domain(255)}`)).toBe(`${"a".repeat(64)}@${domain(255)}`)
    expect(findEmail(`a@${domain(256)}`)).toBe(`a@${domain(255)}`)
    expect(findEmail(`${"@ ".repeat(19)}me@example.com`)).toBe("me@example.com")
    expect(findEmail(`${"@ ".repeat(20)}me@example.com`)).toBeUndefined()
  })

  test("that is found occurs in the text", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(anyString, address, fc.constantFrom("@", ".", "a")), { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        const email = findEmail(text)
        if (email === undefined) expect(isOnlyEmail(text)).toBe(false)
        else expect(text).toContain(email)
      }),
    ))

  test("is searched in linear time in long text that almost has one", () => {
    for (const piece of ["a", "a.", "@", "a@", "a@a.", "-", "a-", "1@1.", "a@a-"]) {
      expect(findEmail(piece.repeat(32_000 / piece.length))).toBeUndefined()
    }
  })
})

describe("a message that consists only of an address", () => {
  test("may have a few words around it", () =>
    fc.assert(
      fc.property(address, (email) => {
        for (const text of [email, `It is ${email}.`, `my e-mail is ${email}`, `Das ist meine: ${email}`]) {
          expect([text, isOnlyEmail(text)]).toEqual([text, true])
        }
      }),
    ))

  test("has at most five words around it", () => {
    expect(isOnlyEmail("one two three me@example.com four five")).toBe(true)
    expect(isOnlyEmail("one two three me@example.com four five six")).toBe(false)
  })

  test("is not one with a question or other content", () =>
    fc.assert(
      fc.property(address, (email) => {
        for (const text of [
          `${email}, how much?`,
          `${email} 多少钱？`,
          `I am ${email} and my order of last week has not arrived`,
          "no address here",
        ]) {
          expect([text, isOnlyEmail(text)]).toEqual([text, false])
        }
      }),
    ))
})

describe("the request for the address", () => {
  test.each([
    ["How much does it cost to send a parcel?", "e-mail address?"],
    ["Was kostet es, ein Paket zu senden?", "E-Mail-Adresse"],
    ["Combien coûte l'envoi d'un colis dans le pays ?", "adresse e-mail"],
    ["¿Cuánto cuesta enviar un paquete y qué es lo más barato?", "correo electrónico"],
    ["Quanto costa spedire un pacco e come si fa?", "indirizzo e-mail"],
    ["Сколько стоит отправить посылку и как это сделать?", "адрес электронной почты"],
    ["寄一个包裹要多少钱？", "邮箱地址"],
    ["荷物を送るのはいくらですか？", "メールアドレス"],
    ["소포를 보내는 데 얼마예요?", "이메일"],
    ["ส่งพัสดุราคาเท่าไหร่", "อีเมล"],
    ["كم تكلفة إرسال طرد؟", "بريدك"],
    ["", "e-mail address?"],
  ])("answers %p in its language", (text, expected) => expect(emailRequest(text)).toContain(expected))

  test("is in the language of the widget where the message shows none", () => {
    expect(emailRequest("SKU-4711?", "de")).toContain("E-Mail-Adresse")
    expect(emailRequest("How long does it take to ship a parcel?", "de")).toContain("e-mail address")
  })

  test("is never empty, whatever the message", () =>
    fc.assert(fc.property(anyString, (text) => expect(emailRequest(text).length).toBeGreaterThan(10))))
})

describe("a refusal to give the address", () => {
  test.each([
    "no",
    "No.",
    "NO!!",
    "nope",
    "No, thanks",
    "no thank you",
    "I'd rather not",
    "I’d rather not, sorry.",
    "I prefer not to",
    "skip",
    "Not now, maybe later",
    "nein danke",
    "Nein, danke schön!",
    "Lieber nicht",
    "Das möchte ich nicht.",
    "Non merci",
    "Je préfère ne pas le dire",
    "No, gracias",
    "prefiero no darlo",
    "Não, obrigado",
    "No grazie, preferisco di no",
    "Nee, bedankt",
    "liever niet",
    "Nej tack",
    "Nej tak",
    "Nei takk",
    "Ei kiitos",
    "Inkább nem, köszönöm",
    "Nu, mulțumesc",
    "Hayır, teşekkürler",
    "HAYIR",
    "Tidak, terima kasih",
    "Όχι, ευχαριστώ",
    "Нет, спасибо",
    "не хочу",
    "لا، شكراً",
    "नहीं, धन्यवाद",
    "不用了，谢谢",
    "不想说",
    "結構です。",
    "いいえ、教えたくありません",
    "아니요 괜찮아요",
    "ไม่ค่ะ ขอบคุณค่ะ",
  ])("is recognized in %p", (text) => expect(refusalIn(bounded(text))).toBe("only"))

  test.each([
    "No, how long does it take?",
    "Skip that. What is the price?",
    "Nein, was kostet das denn jetzt?",
    "不用，多少钱？",
  ])("is recognized before other content: %p", (text) => expect(refusalIn(bounded(text))).toBe("first"))

  test.each([
    "",
    "?!",
    "me@nowhere",
    "No delivery has come yet",
    "Why do you need it?",
    "I have no e-mail program that works",
    "thanks",
    "nothing works, no light, no heating",
    "Nonsense",
    "Kein Strom",
    "Was kostet es?",
  ])("is not recognized in %p", (text) => expect(refusalIn(bounded(text))).toBeUndefined())

  test("is searched in linear time", () => {
    for (const piece of ["no ", "no,", "no thanks ", "'", "不", ","]) {
      expect(refusalIn(bounded(piece.repeat(32_000 / piece.length)))).toBeOneOf([undefined, "first"])
    }
    fc.assert(
      fc.property(anyLongString, (text) => expect(refusalIn(bounded(text))).toBeOneOf([undefined, "only", "first"])),
    )
  })
})

describe("a conversation with a request for the address", () => {
  const reply = fc.oneof(
    fc.constantFrom("no", "No, why?", "me@example.com", "me@nowhere", "Why?", "skip", "thanks"),
    anyString.filter((text) => text !== ""),
  )

  test("has the request at most twice, never after a refusal or an address, and then an answer to the first question", () =>
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 8 }), (said) => {
        const turns: Array<{ role: "user" | "assistant"; content: string }> = []
        let asked = 0
        let isSettled = false
        for (const [index, content] of said.entries()) {
          turns.push({ role: "user", content })
          const gate = emailGate(turns)
          isSettled ||=
            findEmail(content) !== undefined ||
            (asked > 0 && asked === index && refusalIn(bounded(content)) !== undefined)
          expect(gate.isAsking).toBe(!isSettled && asked < 2)
          expect(gate.mayAskAgain).toBe(!isSettled && asked < 1)
          expect(gate.turns.at(-1)?.role).toBe("user")
          if (gate.isAsking) asked++
          else expect(gate.turns.every((turn) => turn.role === "user" || turn.content === "Answer")).toBe(true)
          turns.push({ role: "assistant", content: gate.isAsking ? emailRequest(content) : "Answer" })
        }
        expect(asked).toBeLessThanOrEqual(2)
      }),
    ))
})
