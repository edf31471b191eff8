import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { StreamedGeneration } from "../../src/agent/StreamedGeneration.ts"
import { isUnanswered, type ReplyFacts } from "../../src/domain/chat/Unanswered.ts"

/** The text and the events' text of an answer that arrives in pieces of this length. */
const streamed = (text: string, length: number) => {
  const answer = new StreamedGeneration({ model: "m", provider: "p" }, () => "text")
  const deltas = text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? []
  const events = answer.read([
    { type: "text-start", id: "0" },
    ...deltas.map((delta) => ({ type: "text-delta" as const, id: "0", delta })),
    { type: "text-end", id: "0" },
  ])
  const shown = events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("")
  return { shown, text: answer.generation.text, saysNoAnswer: answer.generation.saysNoAnswer }
}

describe("the mark of no answer", () => {
  test.each([
    ["[no-answer] I could not find it.", "I could not find it."],
    ["[no-answer]\n\nI could not find it.", "I could not find it."],
    ["[NO-ANSWER] Leider nein.", "Leider nein."],
    ["I could not find it. [no-answer]", "I could not find it. "],
    ["Not there [no-answer], sorry.", "Not there , sorry."],
    ["[no-answer]", ""],
  ])("is taken out of %p, in any pieces", (text, shown) => {
    for (const length of [1, 2, 7, 100]) {
      expect(streamed(text, length)).toEqual({ shown, text: shown, saysNoAnswer: true })
    }
  })

  test("leaves every text without it as it is, in any pieces", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("[", "]", "no-answer", "[no-ans", " ", "a", "[1]", "é"), { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        (pieces, length) => {
          const text = pieces.join("").replaceAll("[no-answer]", "")
          fc.pre(!text.includes("[no-answer]"))
          expect(streamed(text, length)).toEqual({ shown: text, text, saysNoAnswer: false })
        },
      ),
    ))
})

type Facts = Pick<ReplyFacts, "searchedBy" | "passages" | "sources"> & Partial<ReplyFacts>

/** The model searched, and its reply rests on passages. */
const rests: Facts = { searchedBy: "model", passages: 6, sources: 2 }
/** The model searched, and its reply rests on none of the passages. */
const floats: Facts = { searchedBy: "model", passages: 6, sources: 0 }
/** The model searched, and nothing was found, or the search failed. */
const fails: Facts = { searchedBy: "model", passages: 0, sources: 0 }
/** The server searched, and the reply rests on none of the passages. */
const given: Facts = { searchedBy: "server", passages: 6, sources: 0 }
const givenRests: Facts = { searchedBy: "server", passages: 6, sources: 1 }
/** Nothing was searched. */
const talks: Facts = { searchedBy: undefined, passages: 0, sources: 0 }

/** Questions and replies of models, with what is known of them, and whether a reader would call them answers. */
const replies: ReadonlyArray<readonly [question: string, reply: string, facts: Facts, isAnswer: boolean]> = [
  // Answers from passages.
  ["How long do refunds take?", "Refunds take five days.", rests, true],
  ["Wie lange dauert eine Erstattung?", "Erstattungen dauern fünf Tage.", rests, true],
  ["Combien coûte le billet ?", "Le billet coûte 12 euros.", rests, true],
  ["¿Cuándo abre el museo?", "El museo abre a las diez.", givenRests, true],
  ["Quanto costa il biglietto?", "Il biglietto costa 12 euro.", givenRests, true],
  ["Ile kosztuje bilet?", "Bilet kosztuje 12 euro.", rests, true],
  ["Сколько стоит билет?", "Билет стоит 12 евро.", rests, true],
  ["门票多少钱？", "门票12欧元。", givenRests, true],
  ["営業時間は？", "10時から18時までです。", rests, true],
  ["كم سعر التذكرة؟", "سعر التذكرة 12 يورو.", rests, true],
  ["List the fees", "[1] Entry 12 EUR [2] Tour 5 EUR", rests, true],
  ["How long do refunds take?", "Refunds take", { ...rests, finishReason: "length" }, true],
  // Replies that say that there is no answer, with the mark.
  ["Do you sell drones?", "[no-answer] The documents do not mention drones.", floats, false],
  ["Verkauft ihr Drohnen?", "[no-answer] Dazu steht nichts in den Dokumenten.", floats, false],
  ["Vendez-vous des drones ?", "[no-answer]\nLes documents n’en parlent pas.", floats, false],
  ["¿Venden drones?", "[no-answer] Los documentos no lo dicen.", given, false],
  ["Vendete droni?", "[no-answer] I documenti non ne parlano.", given, false],
  ["Sprzedajecie drony?", "[No-Answer] Dokumenty o tym nie mówią.", given, false],
  ["Вы продаёте дроны?", "[no-answer] В документах этого нет.", floats, false],
  ["卖无人机吗？", "[no-answer]文件中没有提到。", given, false],
  ["ドローンはありますか？", "[no-answer] 文書には記載がありません。", floats, false],
  ["هل تبيعون طائرات؟", "[no-answer] لا تذكر الوثائق ذلك.", given, false],
  ["Satılık drone var mı?", "Belgelerde bulunmuyor. [no-answer]", given, false],
  ["드론을 팔아요?", "[no-answer] 문서에 없습니다.", floats, false],
  // The same, with what the documents say about the subject.
  ["Is there a discount for teachers?", "[no-answer] There is one for students: 8 EUR.", rests, false],
  ["Gibt es Rabatt für Lehrer?", "[no-answer] Für Studierende gibt es ihn: 8 EUR.", rests, false],
  ["Y a-t-il une remise pour enseignants ?", "[no-answer] Pour les étudiants : 8 euros.", rests, false],
  ["¿Hay descuento para profesores?", "[no-answer] Para estudiantes: 8 euros.", givenRests, false],
  ["Есть скидка для учителей?", "[no-answer] Для студентов — 8 евро.", givenRests, false],
  ["有教师折扣吗？", "[no-answer] 学生票8欧元。", rests, false],
  // The same from models that ignore the mark.
  ["Do you sell drones?", "I could not find anything about drones.", floats, false],
  ["Verkauft ihr Drohnen?", "Dazu habe ich nichts gefunden.", floats, false],
  ["Vendez-vous des drones ?", "Je n’ai rien trouvé.", fails, false],
  ["¿Venden drones?", "No he encontrado nada.", fails, false],
  ["Вы продаёте дроны?", "Я ничего не нашёл.", floats, false],
  ["卖无人机吗？", "我没有找到。", floats, false],
  ["Satılık drone var mı?", "Bir şey bulamadım.", given, false],
  ["Prodáváte drony?", "Nic jsem nenašel.", given, false],
  ["Säljer ni drönare?", "Jag hittade inget.", { ...given, passages: 0 }, false],
  ["Is there a discount for teachers?", "I only found one for students: 8 EUR.", rests, false],
  // Small talk, which the server searches for as well.
  ["Hello!", "Hello! How can I help?", given, true],
  ["Cheers, you are a star", "Glad to help!", given, true],
  ["Servus, na wie schaut’s aus bei dir?", "Servus! Wobei kann ich helfen?", given, true],
  ["Merci, c’est top, bonne continuation", "Avec plaisir !", given, true],
  ["Buenas, ¿qué onda?", "¡Hola! ¿En qué te ayudo?", given, true],
  ["Siema, co tam słychać?", "Cześć! W czym pomóc?", given, true],
  ["Сәлем!", "Сәлем!", given, true],
  ["辛苦了！", "不客气！", given, true],
  ["お疲れ様です", "お疲れ様です。", given, true],
  ["Habari za asubuhi", "Nzuri! Nikusaidie vipi?", given, true],
  ["Hi!", "Hi! What would you like to know?", talks, true],
  ["Danke, passt!", "Gern geschehen.", talks, true],
  // Answers that rest on something else.
  ["What is the weather in Graz?", "Sunny, 21 °C.", { ...floats, toolAnswers: 1 }, true],
  ["Wo ist mein Paket?", "Es kommt morgen.", { ...talks, toolAnswers: 1 }, true],
  ["Übersetze das bitte", "Refunds take five days.", given, true],
  // An answer in another language than its documents, in which no words are the same.
  ["Kauanko palautus kestää?", "Viisi päivää.", floats, true],
  // Replies that were cut off.
  ["Hello", "", given, false],
  ["How much?", "", { ...rests, finishReason: "content-filter" }, false],
  ["Wie viel?", "Das kostet", { ...rests, finishReason: "error" }, false],
  ["Combien ?", "Cela", { ...floats, finishReason: "aborted" }, true],
]

test("of sixty replies in twenty languages, 56 are judged as a reader would", () => {
  const wrong = replies.filter(([, reply, facts, isAnswer]) => {
    const { saysNoAnswer, shown } = streamed(reply, 4)
    const unanswered = isUnanswered({ output: shown, finishReason: "stop", toolAnswers: 0, saysNoAnswer, ...facts })
    return unanswered === isAnswer
  })
  expect(replies).toHaveLength(60)
  // Models that ignore the mark where the server searches, or beside a passage; and an answer in another language.
  expect(wrong.map(([, reply]) => reply)).toEqual([
    "Bir şey bulamadım.",
    "Nic jsem nenašel.",
    "I only found one for students: 8 EUR.",
    "Viisi päivää.",
  ])
})
