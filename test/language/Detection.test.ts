import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { detectLanguage, languageAmong, languageOfReply, languageShownIn } from "../../src/language/Detection.ts"
import { isSpoken, type SpokenLanguage, spokenLanguageOf } from "../../src/language/Locales.ts"
import { isLanguage } from "../../src/language/Language.ts"
import { bounded } from "../../src/text/BoundedText.ts"
import { fullQuestions, passages, shortQuestions } from "./ShortQuestions.ts"

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
    expect(detectLanguage(bounded(text))).toBe(language)
  })

  test.each([
    ["german", "Welche Unterlagen brauche ich?"],
    ["french", "Combien coûte le stationnement ?"],
    ["spanish", "¿Qué documentos necesito?"],
    ["portuguese", "Quanto custa o estacionamento?"],
    ["italian", "Quali documenti servono?"],
    ["romanian", "Cât costă parcarea?"],
    ["catalan", "Quins documents necessito?"],
    ["dutch", "Hoeveel kost parkeren?"],
    ["danish", "Hvornår åbner biblioteket?"],
    ["norwegian", "Hva koster det å parkere?"],
    ["swedish", "När öppnar biblioteket?"],
    ["finnish", "Paljonko pysäköinti maksaa?"],
    ["hungarian", "Mikor nyit a könyvtár?"],
    ["turkish", "Hangi belgeler gerekli?"],
    ["serbian", "Koliko košta parkiranje?"],
    ["serbian", "Када се отвара библиотека?"],
    ["simple", "Ile kosztuje parkowanie?"],
    ["simple", "Kolik stojí parkování?"],
    ["simple", "Скільки коштує паркування?"],
    ["russian", "Сколько стоит парковка?"],
    ["simple", "Đỗ xe giá bao nhiêu?"],
    ["indonesian", "Berapa biaya parkir?"],
    ["lithuanian", "Kiek kainuoja stovėjimas?"],
    ["basque", "Noiz irekitzen da liburutegia?"],
    ["irish", "Cathain a osclaíonn an leabharlann?"],
    ["nepali", "पुस्तकालय कहिले खुल्छ?"],
    ["hindi", "पुस्तकालय कब खुलता है?"],
  ] as const)("is %p for a question of a few words: %p", (language, question) => {
    expect(detectLanguage(bounded(question))).toBe(language)
  })

  test("is that of other texts in the same collection where it might be either", () => {
    const danishOrNorwegian = "Undervisningen er gratis for alle."
    for (const language of ["danish", "norwegian"] as const) {
      expect(detectLanguage(bounded(danishOrNorwegian), [{ language, texts: 3 }])).toBe(language)
    }
    expect(detectLanguage(bounded("17.5 2024 33"), [{ language: "russian", texts: 3 }])).toBe("russian")
  })

  test("is its own where it is clear, whatever the others are", () => {
    const english = "The invoice is due within thirty days, and it can be paid by card."
    expect(detectLanguage(bounded(english), [{ language: "spanish", texts: 1_000_000 }])).toBe("english")
    expect(detectLanguage(bounded("Η βιβλιοθήκη ανοίγει."), [{ language: "spanish", texts: 1_000_000 }])).toBe("greek")
  })

  test("is one of the collection for a question, and the commonest where it might be any", () => {
    const languages = [
      { language: "romanian", texts: 3 },
      { language: "spanish", texts: 237 },
    ] as const
    expect(languageAmong(languages, bounded("¿Dónde está la casa de la moneda?"))).toBe("spanish")
    expect(languageAmong(languages, bounded("Unde este casa și cât costă intrarea pentru copii?"))).toBe("romanian")
    expect(languageAmong(languages, bounded("Casa Batlló"))).toBe("spanish")
    expect(languageAmong(languages, bounded("What is the price?"))).toBe("spanish")
    expect(languageAmong([{ language: "turkish", texts: 1 }], bounded("What is the price?"))).toBe("turkish")
  })

  test("is shown by a message in one language, and by none that might be in several or is in none", () => {
    const shown = (text: string) => languageShownIn(bounded(text))
    expect(shown("Wann öffnet das Museum und was kostet der Eintritt?")).toBe("de")
    expect(shown("When does the museum open?")).toBe("en")
    expect(shown("開館時間は何時ですか")).toBe("ja")
    expect(shown("in")).toBeUndefined()
    expect(shown("17.5 2024")).toBeUndefined()
    expect(shown("")).toBeUndefined()
  })

  test("has no stemmer in Polish, Ukrainian and Persian", () => {
    expect(
      detectLanguage(
        bounded("Faktura jest płatna w ciągu trzydziestu dni i może być opłacona kartą, ale nie gotówką."),
      ),
    ).toBe("simple")
    expect(
      detectLanguage(
        bounded("Рахунок є дійсним для оплати протягом тридцяти днів, і це можна зробити карткою або як інші."),
      ),
    ).toBe("simple")
    expect(detectLanguage(bounded("صورتحساب باید ظرف سی روز پرداخت شود و پرداخت با کارت نیز ممکن است."))).toBe("simple")
  })

  test("is taken to be English for code, numbers and Chinese", () => {
    expect(detectLanguage(bounded("const x = await readFile(path)\nif (x === y) return z(i, j)"))).toBe("english")
    expect(detectLanguage(bounded("17.5 2024 33"))).toBe("english")
    expect(detectLanguage(bounded("发票应在三十天内支付。"))).toBe("english")
    expect(detectLanguage(bounded(""))).toBe("english")
  })

  test("is not recognized by one function word among many other words", () => {
    const names = (count: number) => Array.from({ length: count }, (_, place) => `Zq${"ab".repeat(place)}`).join(" ")
    expect(detectLanguage(bounded(`Und ${names(5)}`))).toBe("german")
    expect(detectLanguage(bounded(`Und ${names(6)}`))).toBe("english")
  })

  test("is a known one for any text", () => {
    expect([isLanguage("german"), isLanguage("klingon")]).toEqual([true, false])
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(isLanguage(detectLanguage(bounded(text)))).toBe(true)
      }),
    )
  })
})

describe("the language of a few words without a function word", () => {
  const languages = Object.keys(shortQuestions).filter(isSpoken)
  const wrong = (language: SpokenLanguage, others: ReadonlyArray<string>) =>
    (shortQuestions[language] ?? []).filter(
      (question) =>
        languageOfReply(
          bounded(question),
          others.map((other) => bounded(other)),
        ) !== language,
    )
  const knowledge = (language: SpokenLanguage) => passages[language] ?? []

  test.each(languages)("is that of the passages that they may be about: %s", (language) => {
    expect(wrong(language, knowledge(language)).length).toBeLessThanOrEqual(1)
  })

  test.each(languages)("is found among passages in two languages, of which its own is the best: %s", (language) => {
    for (const other of languages.filter((one) => one !== language)) {
      const mixed = knowledge(language).flatMap((passage, at) => [passage, knowledge(other)[at] ?? ""])
      expect([other, wrong(language, mixed).length <= 8]).toEqual([other, true])
    }
  })

  test("is English, where nothing shows another one, of English words", () => {
    expect(wrong("en", [])).toEqual([])
  })

  test("is shown by hardly any that is in another one", () => {
    for (const language of languages) {
      const shown = (shortQuestions[language] ?? []).map((question) => languageShownIn(bounded(question)))
      expect(shown.filter((one) => one !== undefined && one !== language).length).toBeLessThanOrEqual(5)
    }
  })

  test.each([
    ["café opening hours", "en"],
    ["déjà vu package", "en"],
    ["Kindergarten fees", "en"],
    ["Premium-Abo Preis", "de"],
    ["upgrade tardif", "fr"],
  ] as const)("is that of the documents with a name or a loan word: %p", (question, language) => {
    expect(
      languageOfReply(
        bounded(question),
        knowledge(language).map((passage) => bounded(passage)),
      ),
    ).toBe(language)
  })
})

test("a full question is in its language, whatever the documents and the messages before it are in", () => {
  // Its words are Italian as well.
  const either = "Quanto tempo dura a garantia?"
  const questions = Object.entries(fullQuestions).flatMap(([language, all]) =>
    all.filter((text) => text !== either).map((text) => ({ language, text })),
  )
  const others = Object.values(passages).flat()
  fc.assert(
    fc.property(
      fc.constantFrom(...questions),
      fc.array(fc.constantFrom(...others, "refund policy", "Garantie", "XK-47"), { maxLength: 6 }),
      ({ language, text }, before) => {
        const reply = languageOfReply(
          bounded(text),
          before.map((other) => bounded(other)),
        )
        expect([text, reply]).toEqual([text, language])
      },
    ),
    { numRuns: 1_000 },
  )
})

test.each([
  ["de", "de"],
  ["pt-BR", "pt"],
  ["ZH-Hant-TW", "zh"],
  ["nb", "no"],
  ["auto", undefined],
  ["", undefined],
  ["constructor", undefined],
] as const)("the language of the tag %p is %p", (tag, language) => expect(spokenLanguageOf(tag)).toBe(language))
