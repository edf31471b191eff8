import { normalize } from "./Normalization.ts"

const LANGUAGES = [
  "simple",
  "arabic",
  "armenian",
  "basque",
  "catalan",
  "danish",
  "dutch",
  "english",
  "finnish",
  "french",
  "german",
  "greek",
  "hindi",
  "hungarian",
  "indonesian",
  "irish",
  "italian",
  "lithuanian",
  "nepali",
  "norwegian",
  "portuguese",
  "romanian",
  "russian",
  "serbian",
  "spanish",
  "swedish",
  "tamil",
  "turkish",
  "yiddish",
] as const

/**
 * The language of a text, as far as stemming goes: the name of a text search configuration that every Postgres from 15
 * on has. `simple` stems nothing and has no stop words; it serves languages for which Postgres has no Snowball stemmer.
 */
export type Language = (typeof LANGUAGES)[number]

/** The number of texts of a collection that are in a language. */
export interface LanguageCount {
  readonly language: Language
  readonly texts: number
}

export const isLanguage = (name: string): name is Language => LANGUAGES.some((language) => language === name)

/**
 * The function words of each language: articles, prepositions, pronouns and question words. They tell languages of one
 * script apart within a sentence or two. Languages without a stemmer are listed too, because their texts would
 * otherwise be taken for those of a neighbour.
 */
const FUNCTION_WORDS: ReadonlyArray<readonly [Language, string]> = [
  [
    "english",
    "the of and to in is that it for was on with as be by this are from at or an have not which you i what how can who whom whose when where why does did do many much",
  ],
  [
    "german",
    "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus wie ich sie was wer wen wem wessen wo wann warum welche welcher welches welchen wurde viele viel hat haben kann nach bei durch aus über",
  ],
  [
    "french",
    "le la les des et en un une du dans est que pour qui par sur au plus pas ce avec il sont vous nous quel comment qui quelle quels quelles où quand pourquoi combien quoi été fut leur ses son",
  ],
  [
    "spanish",
    "el la los las y en un una del que es por con para se no su al lo como más pero sus qué cuál este son fue quién quiénes dónde cuándo cuánto cuántos cuántas cuáles fue ser está hay",
  ],
  [
    "portuguese",
    "o os as e em um uma do da que é por com para se não dos das ao como mais no na são qual você foi pelo quem onde quando quanto quantos quantas qual quais foi ser está seu sua",
  ],
  [
    "italian",
    "il lo la le i gli di e che un una in del della per è con non si da sono dei nel alla come più anche le quale questo chi dove quando quanto quanti quante quali cosa perché è stato",
  ],
  [
    "dutch",
    "de het een en van in is dat op te met voor zijn niet aan er om ook als bij door wordt naar maar wat hoe je wie waar wanneer waarom welke hoeveel werd kan heeft zich nog",
  ],
  [
    "swedish",
    "och att det som en på är av för med den till inte om ett han men var jag från har kan vi så vad hur eller vem vilken vilka vilket när hur många mycket blev",
  ],
  [
    "danish",
    "og at det som en på er af for med den til ikke om et han men var jeg fra har kan vi så hvad der eller blev hvem hvilken hvilke hvilket hvornår hvor mange meget",
  ],
  [
    "norwegian",
    "og å det som en på er av for med den til ikke om et han men var jeg fra har kan vi så hva hvordan eller ble hvem hvilken hvilke hvilket når hvor mange mye",
  ],
  [
    "finnish",
    "ja on ei se että oli ovat hän joka mutta kun niin myös tai kuin sen ole mitä voi sekä jos ovat olla mikä kuka ketä missä milloin miksi miten kuinka monta mikä",
  ],
  [
    "hungarian",
    "a az és hogy nem is egy van meg ez volt de csak mint ha vagy már még azt lehet mely amely hogyan minden ki kik mi hol mikor miért melyik hány mennyi",
  ],
  [
    "turkish",
    "ve bir bu da de için ile olarak çok daha olan gibi ne var kadar sonra en ya mi değil nasıl hangi veya tarafından kim kimin nerede nereye zaman neden niçin hangisi kaç nedir kimdir idi ise olduğu",
  ],
  [
    "romanian",
    "și în de la a cu pe că nu este o un din pentru care sau mai ce fi sunt au prin dar cum lui ale cine unde când cât câți câte cum care este",
  ],
  [
    "catalan",
    "el la els les i en un una del que és per amb no es al com més però dels són aquest què seva també qui on quan quant quants quins quina va ser",
  ],
  [
    "indonesian",
    "yang dan di dari untuk dengan ini itu pada adalah tidak dalam ke akan juga oleh atau sebagai dapat apa bagaimana siapa mana kapan mengapa berapa",
  ],
  [
    "lithuanian",
    "ir yra kad su iš į tai kaip bet buvo ar jo apie ne už per nuo dėl taip pat kuris arba kas kada kur kodėl kiek kokia koks",
  ],
  ["irish", "an na agus ar is a go le sé sí bhí do i ag tá mar nach faoi leis chun seo sin cé cá cad cathain conas"],
  [
    "basque",
    "eta da ez bat du dira zen baina ere hau zuen dute izan hori egin den oso zer nola beste nor non noiz zergatik zenbat",
  ],
  ["serbian", "i je u na se da za su od kao ali sa nije što koji ili bi ovo kako samo bilo biti koje"],
  ["simple", "i w na z się nie do że jest to jak po od dla przez przy są oraz lub czy co ale który może"],
  ["simple", "a je se na v že s z do o jsou ale jako pro by za po jeho nebo bylo které být co jak"],
  ["simple", "và của là có trong được các cho một với những không này người đã từ khi để theo như về tại"],
  [
    "russian",
    "и в не на что с по как это из к для он от за но то его или а так все у о при является кто кого кому где когда почему какой какая какие каких каком сколько был была было были чем чему этого",
  ],
  ["serbian", "и је у на се да за су од као али са није што који или би ово како само било бити које"],
  ["simple", "і в не на що з до як це та для він від за але його або й у про при є який"],
  ["simple", "и в не на че с по като това от за той но го или а се у при е да са който"],
  ["hindi", "है के में की और का से को पर यह हैं एक ने कि भी था नहीं इस हो जो"],
  ["nepali", "छ र को मा ले हो यो पनि भएको एक छन् गर्ने लागि बाट गरेको तथा थियो हुन् गर्न भने"],
  [
    "arabic",
    "في من على إلى أن التي الذي هو هي كان كانت عن مع هذا هذه ما لا قد كم ماذا متى أين كيف لماذا أي هل بين كل عدد ذلك تم",
  ],
  [
    "greek",
    "και το να του η της με που την από για είναι ο τα των στο στην δεν τι ποιος ποια ποιο πού πότε πώς γιατί πόσο πόσα",
  ],
]

/** The languages of scripts. The script with the most letters in a text decides. */
const SCRIPTS: ReadonlyArray<readonly [RegExp, (text: string) => Language]> = [
  [/\p{Script=Latin}/gu, (text) => vote(text, "english")],
  [/\p{Script=Cyrillic}/gu, (text) => vote(text, "russian")],
  [/\p{Script=Devanagari}/gu, (text) => vote(text, "hindi")],
  // Letters of Persian and Urdu that Arabic does not have.
  [/\p{Script=Arabic}/gu, (text) => (matches(text, /[پچژگکیےٹڈ]/gu) * 50 > text.length ? "simple" : "arabic")],
  // There is no stemmer for these scripts, so that of English serves the foreign words in such texts.
  [
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu,
    () => "english",
  ],
  [/\p{Script=Greek}/gu, () => "greek"],
  [/\p{Script=Armenian}/gu, () => "armenian"],
  [/\p{Script=Tamil}/gu, () => "tamil"],
  // Digraphs and pointed letters of Yiddish.
  [
    /\p{Script=Hebrew}/gu,
    (text) => (matches(text, /[װױײ]|א[\u05b7\u05b8]/gu) * 100 > text.length ? "yiddish" : "simple"),
  ],
]

/** How much of a text is looked at, which is enough to recognize its language. */
const SAMPLE_CHARACTERS = 4_000

/** Matches a character beyond ASCII: in a text without one, no script but Latin can decide. */
const BEYOND_ASCII = /[^\0-\x7f]/

/** With fewer function words than these, the words are a coincidence: in code, tables and lists of names. */
const LEAST_VOTES = 2
const LEAST_SHARE_OF_WORDS = 0.06

/**
 * The language whose stemmer suits a text best, by its script and its function words. A text that shows neither, such
 * as code, numbers or Chinese, counts as English, whose stemmer changes nothing but words of ASCII letters.
 */
export const detectLanguage = (text: string): Language => {
  const sample = normalize(text.slice(0, SAMPLE_CHARACTERS), "NFC").toLowerCase()
  if (!BEYOND_ASCII.test(sample)) return vote(sample, "english")
  let found: Language = "english"
  let most = 0
  for (const [letters, decide] of SCRIPTS) {
    const count = matches(sample, letters)
    if (count <= most) continue
    most = count
    found = decide(sample)
  }
  return found
}

const matches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The languages of each function word. */
const votersOf: ReadonlyMap<string, ReadonlyArray<number>> = (() => {
  const voters = new Map<string, Array<number>>()
  for (const [index, [, words]] of FUNCTION_WORDS.entries()) {
    for (const word of new Set(words.split(" "))) voters.set(word, [...(voters.get(word) ?? []), index])
  }
  return voters
})()

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{M}]{2,}|[^\P{L}a-z]/gu) ?? []
/** Whether a word, in lower case, is a function word of a language. */
export const isFunctionWord = (word: string, language: Language): boolean =>
  votersOf.get(word)?.some((index) => FUNCTION_WORDS[index]?.[0] === language) === true

/** Counts the function words of a text for each language that has them. */
const votesOf = (words: ReadonlyArray<string>): ReadonlyArray<number> => {
  const votes = FUNCTION_WORDS.map(() => 0)
  for (const word of words) {
    for (const index of votersOf.get(word) ?? []) votes[index] = (votes[index] ?? 0) + 1
  }
  return votes
}

const vote = (text: string, undecided: Language): Language => {
  // Single ASCII letters are left out: they are variables and initials more often than words.
  const words = wordsIn(text)
  const votes = votesOf(words)
  const most = Math.max(...votes)
  if (most < LEAST_VOTES || most < LEAST_SHARE_OF_WORDS * words.length) return undecided
  return FUNCTION_WORDS[votes.indexOf(most)]?.[0] ?? undecided
}

/** How many times likelier a text with a function word of a language is in that language. */
const VOTE = 3

/**
 * The language of a collection in which a text most likely is, which may be as short as a question.
 *
 * @param languages the languages of the collection, each with the number of texts in it
 */
export const languageAmong = (languages: ReadonlyArray<LanguageCount>, text: string): Language => {
  const [only] = languages
  if (only !== undefined && languages.length === 1) return only.language
  const votes = votesOf(wordsIn(normalize(text.slice(0, SAMPLE_CHARACTERS), "NFC").toLowerCase()))
  let [found, highest]: [Language, number] = ["english", -Infinity]
  for (const { language, texts } of languages) {
    const counts = votes.filter((_, index) => FUNCTION_WORDS[index]?.[0] === language)
    const score = Math.log(texts) + Math.log(VOTE) * Math.max(0, ...counts)
    if (score > highest) [found, highest] = [language, score]
  }
  return found
}
