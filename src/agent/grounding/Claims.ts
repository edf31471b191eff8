import { functionBook } from "../../languages/messages/Books.ts"
import { locales, type SpokenLanguage } from "../../languages/Locales.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { plain } from "../../text/Markup.ts"
import { PhraseBook, tokensOf } from "../../text/PhraseBook.ts"
import { sentencesOf } from "../../text/Sentences.ts"

/*
 * Takes a reply apart into its sentences, and leaves out those that claim nothing about the subject of the documents.
 */

/** A sentence of a reply that claims something. */
export interface Claim {
  /** Without the marks of Markdown. */
  readonly text: BoundedText
  /** Whether it only announces what follows, such as a list. */
  readonly isLead: boolean
  /** Its place in the reply, in UTF-16 code units. */
  readonly start: number
  readonly end: number
}

/** Longest sentence that is compared, in UTF-16 code units. */
const CLAIM_MAX_LENGTH = 600
/** Longest part of a line that is split at once: a line of any length is split in bounded pieces. */
const PIECE_MAX_LENGTH = 4_000

/** The pieces of a reply's lines that are text: no fenced code, headings and rules. Each with its place in the reply. */
export const piecesOf = (reply: string): ReadonlyArray<{ readonly text: string; readonly start: number }> => {
  const pieces: Array<{ text: string; start: number }> = []
  let fence: string | undefined
  let start = 0
  for (const line of reply.split("\n")) {
    const mark = /^\s{0,12}(`{3}|~{3})/.exec(line)?.[1]
    const isText = mark === undefined && fence === undefined && !/^\s{0,12}(?:#{1,6}\s|[-=*_|:\s]*$)/.test(line)
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence
    for (let at = 0; isText && at < line.length; at += PIECE_MAX_LENGTH) {
      pieces.push({ text: line.slice(at, at + PIECE_MAX_LENGTH), start: start + at })
    }
    start += line.length + 1
  }
  return pieces
}

/** The claims in a piece of a reply in a language. */
export const claimsIn = (
  { start: from, text }: { readonly text: string; readonly start: number },
  language: SpokenLanguage,
): ReadonlyArray<Claim> => {
  const claims: Array<Claim> = []
  let start = from
  // A row of a table is one claim.
  for (const sentence of /^\s*\|/.test(text) ? [text] : sentencesOf(text)) {
    const shown = sentence.trim()
    const at = start + sentence.indexOf(shown)
    start += sentence.length
    const claim = bounded(plain(shown.replaceAll("|", " ").trim()), CLAIM_MAX_LENGTH)
    if (isClaim(claim, language)) {
      claims.push({ text: claim, isLead: /[:：][\s*_]*$/u.test(claim), start: at, end: at + shown.length })
    }
  }
  return claims
}

type Kind = "denials" | "limits" | "remarks" | "documents"
const KINDS: ReadonlyArray<Kind> = ["denials", "limits", "remarks", "documents"]

const books = new Map<SpokenLanguage, PhraseBook<Kind>>()

const bookOf = (language: SpokenLanguage): PhraseBook<Kind> => {
  const known = books.get(language)
  if (known !== undefined) return known
  const { asking, claims } = locales[language]
  const made = new PhraseBook<Kind>(() => [
    [asking.not, "denials"],
    ...(claims === undefined ? [] : KINDS.map((kind) => [claims[kind], kind] as const)),
  ])
  books.set(language, made)
  return made
}

/** What phrases of a text are beside its subject. */
export const phrasesIn = (text: BoundedText, language: SpokenLanguage): ReadonlySet<Kind> => {
  const book = bookOf(language)
  const tokens = tokensOf(text)
  const found = new Set<Kind>()
  for (let at = 0; at < tokens.length;) {
    const phrase = book.at(tokens, at)
    for (const kind of phrase?.meanings ?? []) found.add(kind)
    at += phrase?.length ?? 1
  }
  return found
}

/** Whether a word says nothing about the subject of a sentence. */
export const isSilent = (word: string, language: SpokenLanguage): boolean =>
  functionBook.at([word], 0, (meaning) => meaning.language === language && meaning.role !== "attributes") !==
    undefined || bookOf(language).at([word], 0) !== undefined

const isClaim = (text: BoundedText, language: SpokenLanguage): boolean => {
  if (!/\p{L}/u.test(text) || /[?？؟][\s*_\p{P}]*$/u.test(text)) return false
  const phrases = phrasesIn(text, language)
  if (phrases.has("remarks")) return /\p{N}/u.test(text)
  return !(phrases.has("documents") && phrases.has("denials"))
}
