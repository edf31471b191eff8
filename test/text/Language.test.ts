import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { detectLanguage, isLanguage } from "../../src/text/Language.ts"

describe("the language of a text", () => {
  test.each([
    ["english", "The invoice is due within thirty days, and it can be paid by card."],
    ["german", "Die Rechnung ist innerhalb von dreißig Tagen fällig und kann mit Karte bezahlt werden."],
    ["french", "La facture est payable dans les trente jours, et vous pouvez la régler par carte."],
    ["spanish", "La factura vence en treinta días y se puede pagar con tarjeta, pero no en efectivo."],
    ["portuguese", "A fatura vence em trinta dias e pode ser paga com cartão, mas não em dinheiro."],
    ["italian", "La fattura scade dopo trenta giorni e può essere pagata con la carta, ma non in contanti."],
    ["dutch", "De factuur moet binnen dertig dagen worden betaald en dat kan ook met een kaart."],
    ["swedish", "Fakturan ska betalas inom trettio dagar och det kan även göras med kort."],
    ["turkish", "Fatura otuz gün içinde ödenir ve kart ile de ödenebilir, ancak nakit kabul edilmez."],
    ["russian", "Счёт нужно оплатить в течение тридцати дней, и это можно сделать картой."],
    ["greek", "Το τιμολόγιο πληρώνεται εντός τριάντα ημερών."],
    ["arabic", "يجب دفع الفاتورة خلال ثلاثين يوما ويمكن الدفع بالبطاقة."],
    ["hindi", "बिल का भुगतान तीस दिनों के भीतर किया जाना है और यह कार्ड से भी हो सकता है।"],
  ] as const)("is %p by its script and its commonest words", (language, text) => {
    expect(detectLanguage(text)).toBe(language)
  })

  test("has no stemmer in Polish, Ukrainian and Persian", () => {
    expect(
      detectLanguage("Faktura jest płatna w ciągu trzydziestu dni i może być opłacona kartą, ale nie gotówką."),
    ).toBe("simple")
    expect(
      detectLanguage("Рахунок є дійсним для оплати протягом тридцяти днів, і це можна зробити карткою або як інші."),
    ).toBe("simple")
    expect(detectLanguage("صورتحساب باید ظرف سی روز پرداخت شود و پرداخت با کارت نیز ممکن است.")).toBe("simple")
  })

  test("is taken to be English for code, numbers and Chinese", () => {
    expect(detectLanguage("const x = await readFile(path)\nif (x === y) return z(i, j)")).toBe("english")
    expect(detectLanguage("17.5 2024 33")).toBe("english")
    expect(detectLanguage("发票应在三十天内支付。")).toBe("english")
    expect(detectLanguage("")).toBe("english")
  })

  test("is not recognized by one function word among many other words", () => {
    const names = (count: number) => Array.from({ length: count }, (_, place) => `Zq${"ab".repeat(place)}`).join(" ")
    expect(detectLanguage(`Und ${names(5)}`)).toBe("german")
    expect(detectLanguage(`Und ${names(6)}`)).toBe("english")
  })

  test("is a known one for any text", () => {
    expect([isLanguage("german"), isLanguage("klingon")]).toEqual([true, false])
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(isLanguage(detectLanguage(text))).toBe(true)
      }),
    )
  })
})
