import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { emailRequest, findEmail, isOnlyEmail } from "../../src/domain/EmailGate.ts"
import { anyString } from "../lib/Arbitraries.ts"

const word = fc.string({ unit: fc.constantFrom(..."abcxyz019"), minLength: 1, maxLength: 10 })
const address = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.array(word, { minLength: 1, maxLength: 3 }))
  .map(([local, domain]) => `${local.join(".")}@${domain.join(".")}.example`)

describe("an e-mail address", () => {
  test("is found in whatever stands around it", () =>
    fc.assert(
      fc.property(
        address,
        fc.constantFrom("", "my address is ", "<", "mailto:", "(", "Адрес: ", "邮箱：", "\n"),
        fc.constantFrom("", ".", ", thanks!", ">", ")", "。", "?"),
        (email, before, after) => expect(findEmail(before + email + after)).toBe(email),
      ),
    ))

  test("of other scripts is found too", () => {
    expect(findEmail("用户@例子.广告")).toBe("用户@例子.广告")
    expect(findEmail("почта@пример.рф")).toBe("почта@пример.рф")
  })

  test.each(["", "@", "me@", "@example.com", "me@example", "me @ example.com", "a@b.c", "me@-.com", "1@2.3"])(
    "is not in %p",
    (text) => expect(findEmail(text)).toBeUndefined(),
  )

  test("that is found was said just so, and is no longer than an address can be", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(anyString, address, fc.constantFrom("@", ".", "a")), { maxLength: 8 }), (parts) => {
        const text = parts.join("")
        const email = findEmail(text)
        if (email === undefined) expect(isOnlyEmail(text)).toBe(false)
        else expect(text).toContain(email)
      }),
    ))

  test("is looked for without getting lost in long text that almost has one", () => {
    for (const piece of ["a", "a.", "@", "a@", "a@a.", "-", "a-", "1@1.", "a@a-"]) {
      expect(findEmail(piece.repeat(32_000 / piece.length))).toBeUndefined()
    }
  })
})

describe("a message that says only an address", () => {
  test("may say so in a few words", () =>
    fc.assert(
      fc.property(address, (email) => {
        for (const text of [email, `It is ${email}.`, `my e-mail is ${email}`, `Das ist meine: ${email}`]) {
          expect([text, isOnlyEmail(text)]).toEqual([text, true])
        }
      }),
    ))

  test("is not one that asks, or tells more", () =>
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
    ["寄一个包裹要多少钱？", "电子邮箱"],
    ["荷物を送るのはいくらですか？", "メールアドレス"],
    ["소포를 보내는 데 얼마예요?", "이메일"],
    ["ส่งพัสดุราคาเท่าไหร่", "อีเมล"],
    ["كم تكلفة إرسال طرد؟", "بريدك"],
    ["", "e-mail address?"],
  ])("answers %p in its language", (text, expected) => expect(emailRequest(text)).toContain(expected))

  test("is never empty, whatever was said", () =>
    fc.assert(fc.property(anyString, (text) => expect(emailRequest(text).length).toBeGreaterThan(10))))
})
