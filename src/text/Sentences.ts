/*
 * Splits a text into sentences. The engine's rules end a sentence at a point before a capital, also after
 * abbreviations, after ordinals, as in `im 18. Jahrhundert`, and after the numbers of steps.
 */

/** Longest sentence, in UTF-16 code units: a longer one is mostly a listing that lost its form. */
export const SENTENCE_MAX_LENGTH = 600

const sentenceSegmenter = new Intl.Segmenter("und", { granularity: "sentence" })

/** The sentences of a text in order and without gaps, each with the white space after it. */
export const sentencesOf = (text: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let from = 0
  let end = 0
  for (const { segment } of sentenceSegmenter.segment(text)) {
    const isOpen = end - from <= SENTENCE_MAX_LENGTH && end > from
    if (isOpen && !ends(text.slice(Math.max(from, end - TAIL_LENGTH), end), segment)) {
      end += segment.length
      continue
    }
    if (end > from) sentences.push(text.slice(from, end))
    from = end
    end += segment.length
  }
  return end > from ? [...sentences, text.slice(from, end)] : sentences
}

/** The part of a sentence that is looked at to see whether it has ended, in UTF-16 code units. */
const TAIL_LENGTH = 40

/** Whether a sentence with this tail has ended before what the engine takes for the next one. */
const ends = (tail: string, next: string): boolean => {
  const last = tail.trimEnd()
  if (/^[^\p{L}\p{N}]*(?:\d{1,3}\.)*(?:\d{1,3}|\p{L})[.)]$/u.test(last)) return false
  if (/[\dIVX]\.$/.test(last) && (ORDINAL.test(last) || (NUMERAL.test(last) && AFTER_ORDINAL.test(next)))) return false
  return tail.includes("\n", last.length) || !(endsAbbreviated(last) || CONTINUES.test(next))
}

/** Matches the beginning of a part that was taken for a sentence because of an abbreviation before it. */
const CONTINUES = /^[\p{Ll}\p{Pe}\p{Pf},;–]/u

const ABBREVIATIONS = new Set(
  "dr mr mrs ms st jr sr prof nr no vs ca bzw approx e.g i.e z.b d.h u.a evtl ggf inkl usw max min tel fig vol pp ed inc ltd co corp bros gen col lt sgt rev hon mt ft art abs str м г гг д им ул рис стр тыс млн млрд р п sra dra sig dott núm pág bd hrsg jh".split(
    " ",
  ),
)

const endsAbbreviated = (sentence: string): boolean => {
  const word = /(?:^|[\s(])(\S{1,6})\.$/u.exec(sentence)?.[1]
  return word !== undefined && (/^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase()))
}

/**
 * Matches an ordinal in a language that writes them with a point, by the article or the ordinal before it. Most of
 * these languages have nouns in lower case, before which the engine ends no sentence; German has not.
 */
const ORDINAL =
  /(?<![\p{L}\p{N}])(?:(?<!\bI\s)am|im|vom|zum|beim|zur|d(?:er|ie|as|e[mnst])|az|(?:[mds]?ein|kein|unser|ihr|dies|jed)(?:e[mnrs]?)?|(?:\d{1,3}|[ivx]{1,6})\.\s?(?:und|oder|bis|og|eller|til|[-–/,]))\s?(?:\d{1,3}|[ivx]{1,6})\.$/iu

/** Whether a line that begins as the item of a list, such as `18. Jahrhundert`, goes on with the line above: `im`. */
export const continuesLine = (above: string, line: string): boolean => {
  const number = /^(?:\d{1,3}|[IVX]{1,6})\.(?=\s)/.exec(line)?.[0]
  return number !== undefined && ORDINAL.test(`${above.slice(-TAIL_LENGTH).trimEnd()} ${number}`)
}

const NUMERAL = /(?<![\p{L}\p{N}.,])(?:\d{1,2}|[IVX]{1,6})\.$/u

/** Matches what mostly follows an ordinal: a month, a century and the like. */
const AFTER_ORDINAL =
  /^(?:Jan(?:uar|\.)|Jänner|Feb(?:ruar|\.)|März|April|Mai|Juni|Juli|August|Sept(?:ember|\.)|Okt(?:ober|\.)|November|Dez(?:ember|\.)|Jahrhundert|Jahrtausend|Jh\.|Weltkrieg|Auflage|Quartal|Halbjahr|Klasse|Liga|Bundesliga|FC|Dünya)(?:e?s|en?)?(?!\p{L})/u
