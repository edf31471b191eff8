import { SENTENCE_END, type Unit } from "./Units.ts"

/*
 * Whether what a reply quotes can be read by itself: without the sentence before it, and without signs that belonged to
 * the page and not to the text.
 */

/** A way in which a unit cannot be read by itself. */
export type Fault = "pronoun" | "conjunction" | "markup" | "citation mark" | "fragment"

/** The faults of the units of a reply. */
export const faultsOf = (units: ReadonlyArray<Unit>, language: string): ReadonlyArray<Fault> => [
  ...new Set(
    units.flatMap((unit, index) => {
      const isIntroduced = unit.continues || units[index - 1]?.form === "lead"
      const leans = isSentence(unit) && !isIntroduced
      return [
        ...marksIn(unit),
        ...(isSentence(unit) && isFragment(unit) ? (["fragment"] as const) : []),
        ...(leans && PRONOUNS[language]?.test(unit.text) === true ? (["pronoun"] as const) : []),
        ...(leans && CONJUNCTIONS[language]?.test(unit.text) === true ? (["conjunction"] as const) : []),
      ]
    }),
  ),
]

/** Whether a sentence needs the one before it. */
export const leansOnOthers = ({ text }: Unit, language: string): boolean =>
  PRONOUNS[language]?.test(text) === true || CONJUNCTIONS[language]?.test(text) === true

/** Such as `[29]`, `[citation needed]` or `[improper synthesis?]`, with a page, as in `[29]:251`, or cut in two. */
const CITATION_MARK =
  /\[(?:\d{1,3}|\p{Ll}|\p{Ll}[\p{Ll}\s-]{2,40}\??|note \d+)\](?::\d+)?|(?<=[.!?]):\d+|^\d{1,3}\]|\[\d{0,3}$/giu

const marksIn = ({ form, text }: Unit): ReadonlyArray<Fault> => {
  const bars = form === "row" || form === "lead" ? text.replaceAll("|", "") : text
  return [
    ...(/\*\*|__\w|\]\(|^#{1,6}\s|<\/?(?:[abipsu]|br|em|strong|div|span|table|t[drh]|[uo]l|li|h[1-6]|su[bp]|code|img|unk)\b[^>]*>|&[a-z]+;|\|.*\||^= |= =/i.test(
      bars,
    )
      ? (["markup"] as const)
      : []),
    ...(text.search(CITATION_MARK) >= 0 ? (["citation mark"] as const) : []),
    ...(text.endsWith("…") ? (["fragment"] as const) : []),
  ]
}

/** An item of a list may be a name or a phrase; when it is a sentence, it is read as one. */
const isSentence = ({ form, text }: Unit): boolean =>
  form === "sentence" || (form === "item" && SENTENCE_END.test(text.replaceAll(CITATION_MARK, "")))

const isFragment = ({ form, text }: Unit): boolean =>
  !SENTENCE_END.test(text.replaceAll(CITATION_MARK, "")) ||
  // A name such as iPhone, or what a row of a table is about, may begin in lower case; a sentence does not.
  (form === "sentence" && /^\p{Ll}+(?=[\s,;])(?![^.!?]{0,80}: )/u.test(text)) ||
  count(text, /[(（]/gu) !== count(text.replace(/^\(?[\da-z]{1,3}\)/i, ""), /[)）]/gu)

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

const starting = (words: string): RegExp => new RegExp(`^(?:${words.split(", ").join("|")})(?=[\\s,.:;])`, "u")

/**
 * A pronoun at the beginning that stands for a noun of an earlier sentence. Words that may also address the reader, such
 * as the German `Ihre`, are left out.
 */
const PRONOUNS: Readonly<Record<string, RegExp>> = {
  ar: starting("و?هو, و?هي, و?هم, و?هذا هو, كما"),
  de: starting(
    "Er, Sie(?= (?!bitte\\b)(?:\\p{Ll}+t|war|waren|wurden|hatten|kosten|gelten|gehören|bestehen|liegen|stehen)\\b), Es(?! (?:gibt|gab|ist|war|wird|wurden?|sind|waren|kann|muss)\\b), Dies(?:er?|es)?(?! \\p{Lu}), Seine?",
  ),
  en: starting(
    // "It is known that" needs no noun.
    "It(?! (?:is|was|has been|may be|can be) (?:[\\p{Ll}-]+ ){1,3}(?:that|to|whether)\\b), He, She, They, Its, His, Her, Their, Th(?:is|at)(?= (?:is|was|has|had|can|could|means|meant|may|will|would|led)\\b), Th(?:ese|ose)(?= (?:are|were|have|can|may|will)\\b)",
  ),
  es: starting("Él, Ella, Ellos, Ellas, Esto, Eso, Ést[aeo]s?"),
  fr: starting(
    "Il(?! (?:y a|faut|est \\p{Ll}+ (?:de|que))\\b), Elle, Ils, Elles, Leurs?, Ce(?:lui|lle|ux|lles)-ci, Cela, Ça, Son, Sa, Ses",
  ),
  it: starting("Ess[aeio], Egli, Lui, Lei è, Loro, Ciò"),
  ja: /^(?:それ|これ|彼)/u,
  nl: starting("Hij, Zij, Ze, Dit(?= (?:is|was|kan)\\b), Dat, Deze(?= (?:is|zijn|was|kan)\\b)"),
  pl: starting("On, Ona, Ono, Oni, One, Jego, Jej, Ich, To jest"),
  pt: starting("Eles?, Elas?, Isto, Isso"),
  ru: starting("Он, Она, Оно, Они, Его, Её, Ее, Их, Это"),
  tr: starting("Onlar, Bunlar, Onun, Bunun, Onların"),
  uk: starting("Він, Вона, Воно, Вони, Його, Її, Їх, Це"),
  zh: /^(?:它们?|他们?|她们?|这是|这些是|其)/u,
}

const CONJUNCTIONS: Readonly<Record<string, RegExp>> = {
  ar: starting("لكن, ولكن, ومع ذلك, بالإضافة إلى ذلك"),
  de: starting("Und, Aber, Oder, Denn, Jedoch, Daher, Deshalb, Deswegen, Außerdem, Dennoch, Trotzdem, Allerdings"),
  en: starting("And, But, Or, Nor, However, Therefore, Thus, Hence, Moreover, Furthermore, Nevertheless, Otherwise"),
  es: starting("Y, Pero, O, Sin embargo, Además, Por lo tanto, Por eso, No obstante"),
  fr: starting("Et, Mais, Ou, Donc, Or, Cependant, Toutefois, De plus, En outre"),
  it: starting("E, Ma, O, Però, Tuttavia, Inoltre, Quindi, Perciò"),
  ja: /^(?:しかし|そして|また、|そのため|ただし)/u,
  nl: starting("En, Maar, Of, Want, Echter, Daarom, Bovendien"),
  pl: starting("I, A, Ale, Lub, Jednak, Dlatego, Ponadto"),
  pt: starting("E, Mas, Ou, Porém, No entanto, Além disso, Portanto"),
  ru: starting("И, А, Но, Или, Однако, Поэтому, Кроме того, Тем не менее"),
  tr: starting("Ve, Ama, Fakat, Veya, Ancak, Bu nedenle, Ayrıca"),
  uk: starting("І, Й, А, Але, Або, Однак, Тому, Крім того"),
  zh: /^(?:但是?|然而|因此|此外|而且|不过|所以)/u,
}
