/*
 * In which language a reply is that a chatbot made up by itself, such as that nothing was found. It is told by a few
 * frequent words, and not by the product's own detection of languages, which is a part of what is measured.
 */

const wordsFrom = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    cs: "jsem nic v o tom nenašel nenašla se to dokumentech není zeptejte jste já dobrý den ahoj rádo",
    da: "jeg ikke intet i om det og fandt har noget dokumenterne du er hej selv",
    de: "ich nichts den der die und nicht dazu habe sie das mir in zu kenne bin gern gerne auf hallo wiedersehen",
    en: "the i in about nothing you is that of know am found me and are hello welcome goodbye",
    es: "de no el los en sobre he nada que una las soy con de conozco hola gracias hasta adiós documentos",
    fi: "en ei löytänyt asiakirjoista tästä mitään minä olen hei ole hyvä tai kysy näkemiin",
    fr: "je rien dans les sur vous est pas ce une des ai suis et bonjour rien au revoir",
    hu: "nem a az találtam semmit erről és vagyok szívesen szia kérdezzen dokumentumokban",
    id: "saya tidak menemukan di tentang itu dokumen dalam yang sama halo",
    it: "non ho nei su che nulla niente sono di della il le un prego ciao arrivederci documenti",
    nl: "ik niet niets de het over heb een daarover ben graag dag tot ziens documenten",
    no: "jeg ikke ingenting i om det og fant har noe dokumentene du er hei bare",
    pl: "nie w na się jest tym nic o temat to znalazłem dokumentach jestem dzień dobry proszę do",
    pt: "de não nos sobre que nada isso uma os sou eu com encontrei olá documentos até",
    ro: "nu am găsit în nimic despre și la sunt bună plăcere revedere documentele",
    ru: "в об этом ничего не найдено документах я и на вы это здравствуйте пожалуйста до свидания",
    sv: "jag inget inte i om det och hittade du är hej dokumenten varsågod",
    tr: "bir bu ile ilgili bulamadım belgelerde şey veya ben merhaba rica ederim sorun",
    uk: "я не в у про це нічого знайдено документах і та на ви будь ласка вітаю до побачення знайшов",
    vi: "tôi không tìm thấy trong tài liệu về xin chào là",
  }).map(([language, words]) => [language, wordsFrom(words)]),
)

/** Languages that are told by their script. Japanese comes before Chinese, with which it shares characters. */
const SCRIPTS: ReadonlyArray<readonly [language: string, script: RegExp]> = [
  ["ar", /\p{Script=Arabic}/u],
  ["el", /\p{Script=Greek}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["ko", /\p{Script=Hangul}/u],
  ["zh", /\p{Script=Han}/u],
]

/** Names of documents, which may be in another language, and the lines of a list of them. */
const NAMES = /[“"«„「『][^”"»“」』\n]*[”"»“」』]|\([^()\n]*\)|^[-*] .*$/gmu

/** Whether a text is in a language. Undefined for a language that it does not know. */
export const isIn = (text: string, language: string): boolean | undefined => {
  const own = text.replaceAll(NAMES, " ")
  const byScript = SCRIPTS.find(([, script]) => script.test(own))
  if (byScript !== undefined || SCRIPTS.some(([known]) => known === language)) return byScript?.[0] === language
  if (!WORDS.has(language)) return undefined
  const words = own.toLowerCase().match(/\p{L}+/gu) ?? []
  const hits = new Map(WORDS.entries().map(([known, some]) => [known, words.filter((word) => some.has(word)).length]))
  return (hits.get(language) ?? 0) === Math.max(...hits.values())
}
