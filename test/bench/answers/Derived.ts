import { wordsOf } from "../../../src/language/words/UnicodeWords.ts"
import { random } from "../../lib/Random.ts"
import { readSet } from "../lib/RetrievalSet.ts"
import { type Case, type Expected, type Half, type Kind, type Knowledge, makeCase, textFile } from "./Case.ts"
import { holdsAny } from "./Matching.ts"
import { beginning, kindOf, mistyped, namesItsSubject } from "./Questions.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

/*
 * Cases that are made from SQuAD and XQuAD, whose questions name the paragraph and the words that answer them. A part of
 * the paragraphs is kept out of the knowledge base: their questions are about what its documents tell a lot of, and
 * have no answer in them.
 */

/** Cases of each kind, for both halves together. */
type Counts = Readonly<Partial<Record<Kind | "near miss" | "off topic", number>>>

const SQUAD_COUNTS: Counts = {
  sentence: 60,
  number: 24,
  date: 24,
  definition: 16,
  "typing-error": 24,
  "near miss": 24,
  "off topic": 12,
}
const XQUAD_COUNTS: Counts = {
  sentence: 16,
  number: 8,
  date: 8,
  definition: 4,
  "typing-error": 6,
  "other-language": 8,
  "near miss": 8,
  "off topic": 4,
}

const SQUAD_ARTICLES: ReadonlySet<string> = new Set([
  "Black Death",
  "Doctor Who",
  "Immune system",
  "Kenya",
  "Nikola Tesla",
  "Rhine",
  "Scottish Parliament",
  "Steam engine",
])
/** The languages of XQuAD, and those in which questions of another language are asked. */
const XQUAD: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: ["de", "ru", "ar", "tr", "zh"],
  de: ["en", "tr"],
  ru: ["en", "de"],
  ar: ["en"],
  tr: ["en", "de"],
  zh: ["en"],
}
/** The paragraphs of one article in XQuAD. */
const ARTICLE_PARAGRAPHS = 5
/** Of so many paragraphs of an article the last one is kept out. */
const LEFT_OUT_EVERY = 5
/** Of so many articles of XQuAD the last one is kept out. */
const ARTICLES_LEFT_OUT_EVERY = 8
/** A question has a word that at most this share of the paragraphs holds: others cannot be understood by themselves. */
const NAMED_SHARE_MAX = 0.1

/** A name is rare when at most this share of the paragraphs holds it. */
const RARE_SHARE_MAX = 0.03

interface Question {
  readonly id: string
  readonly text: string
  readonly answers: ReadonlyArray<string>
  readonly paragraph: Paragraph
}

interface Paragraph {
  readonly id: string
  readonly article: string
  readonly text: string
  readonly isLeftOut: boolean
}

interface Collection {
  readonly name: string
  readonly language: string
  readonly paragraphs: ReadonlyArray<Paragraph>
  readonly questions: ReadonlyArray<Question>
}

/** Makes the knowledge bases from the sets in a directory. The same seed makes the same cases. */
export const derivedKnowledge = (data: string, seed: number): ReadonlyArray<Knowledge> => {
  const squad = squadOf(data)
  const articleOf = new Map(squad.paragraphs.map(({ article, text }) => [text.slice(0, TITLE_KEY_LENGTH), article]))
  const titles = readSet(data, "xquad/en").passages.map(({ text }) => articleOf.get(text.slice(0, TITLE_KEY_LENGTH)))
  const xquad = new Map(Object.keys(XQUAD).map((language) => [language, xquadOf(data, language, titles)]))
  return [
    knowledgeOf(squad, SQUAD_COUNTS, [], seed),
    ...Array.from(xquad, ([language, collection]) =>
      knowledgeOf(
        collection,
        XQUAD_COUNTS,
        (XQUAD[language] ?? []).flatMap((other) => xquad.get(other) ?? []),
        seed,
      ),
    ),
  ]
}

/** The two sets have the same paragraphs in English, apart from a mark here and there. */
const TITLE_KEY_LENGTH = 40

const squadOf = (data: string): Collection => {
  const set = readSet(data, "squad-dev")
  const places = new Map<string, number>()
  const paragraphs = set.passages.map(({ id, text, title }): Paragraph => {
    const place = places.get(title) ?? 0
    places.set(title, place + 1)
    const isLeftOut = !SQUAD_ARTICLES.has(title) || place % LEFT_OUT_EVERY === LEFT_OUT_EVERY - 1
    return { id, article: title, text, isLeftOut }
  })
  return { name: "squad", language: "en", paragraphs, questions: questionsOf(set, paragraphs, "en") }
}

const xquadOf = (data: string, language: string, titles: ReadonlyArray<string | undefined>): Collection => {
  const set = readSet(data, `xquad/${language}`)
  const paragraphs = set.passages.map(({ id, text }, index): Paragraph => {
    const number = Math.floor(index / ARTICLE_PARAGRAPHS)
    const isLeftOut =
      index % LEFT_OUT_EVERY === LEFT_OUT_EVERY - 1 || number % ARTICLES_LEFT_OUT_EVERY === ARTICLES_LEFT_OUT_EVERY - 1
    const article = titles.slice(number * ARTICLE_PARAGRAPHS, (number + 1) * ARTICLE_PARAGRAPHS).find(Boolean)
    return { id, article: article ?? `Article ${number + 1}`, text: text.replace(/^\uFEFF/, "").trim(), isLeftOut }
  })
  return { name: `xquad-${language}`, language, paragraphs, questions: questionsOf(set, paragraphs, language) }
}

/** The questions whose answer stands in their paragraph. */
const questionsOf = (
  { judgements, questions }: ReturnType<typeof readSet>,
  paragraphs: ReadonlyArray<Paragraph>,
  language: string,
): ReadonlyArray<Question> => {
  const byId = new Map(paragraphs.map((paragraph) => [paragraph.id, paragraph]))
  return questions.flatMap(({ answers = [], id, text }) => {
    const [relevant = ""] = judgements.get(id)?.keys() ?? []
    const paragraph = byId.get(relevant)
    if (paragraph === undefined || !holdsAny(paragraph.text, answers) || !namesItsSubject(text, language)) return []
    return [{ id, text: text.trim(), answers, paragraph }]
  })
}

const knowledgeOf = (
  collection: Collection,
  counts: Counts,
  others: ReadonlyArray<Collection>,
  seed: number,
): Knowledge => {
  const { language, name, paragraphs, questions } = collection
  const present = paragraphs.filter(({ isLeftOut }) => !isLeftOut)
  const articles = Map.groupBy(present, ({ article }) => article)
  const draw = random(seed)
  const holders = new Map<string, number>()
  for (const { article, text } of present) {
    for (const start of beginningsOf(`${article} ${text}`)) holders.set(start, (holders.get(start) ?? 0) + 1)
  }
  const isNamed = ({ paragraph, text }: Question): boolean => {
    const own = beginningsOf(`${paragraph.article} ${paragraph.text}`)
    return beginningsOf(text)
      .values()
      .some((start) => own.has(start) && (holders.get(start) ?? 0) <= NAMED_SHARE_MAX * present.length)
  }
  /** Whether a question in another language has two names of a paragraph, one of them a rare one. */
  const namesParagraph = (question: string, { text }: Paragraph): boolean => {
    const names = namesOf(question).filter((name) => text.includes(name))
    const isRare = (name: string) =>
      (holders.get(beginning(name.toLowerCase())) ?? 0) <= RARE_SHARE_MAX * present.length
    return names.length >= 2 && names.some((name) => /\p{L}/u.test(name) && isRare(name))
  }
  const answerable = shuffled(
    questions.filter((question) => !question.paragraph.isLeftOut && isNamed(question)),
    draw,
  )
  const cases: Array<Case> = []
  const used = new Set<string>()
  const take = (kind: keyof Counts, candidates: Iterable<readonly [question: Question, made: Case]>): void => {
    const left: Record<Half, number> = { dev: (counts[kind] ?? 0) / 2, held: (counts[kind] ?? 0) / 2 }
    for (const [question, made] of candidates) {
      if (left.dev + left.held === 0) return
      if (left[made.half] === 0 || used.has(question.id)) continue
      used.add(question.id)
      left[made.half] -= 1
      cases.push(made)
    }
  }
  const caseOf = (kind: Kind, question: Question, expected: Partial<Expected>, fields: Partial<Case> = {}) =>
    [
      question,
      makeCase({ knowledge: name, kind, language, question: question.text, ...expected, ...fields }, question.id),
    ] as const

  for (const kind of ["definition", "number", "date", "sentence"] as const) {
    take(
      kind,
      answerable
        .values()
        .filter(({ answers, text }) => kindOf(text, language, answers) === kind)
        .map((question) => caseOf(kind, question, { answers: question.answers })),
    )
  }
  // Texts of Han characters have no long words but foreign names.
  const typed = language === "zh" ? [] : answerable
  take(
    "typing-error",
    typed.values().flatMap((question) => {
      const wrong = mistyped(question.text, question.paragraph.text, draw)
      return wrong === undefined
        ? []
        : [caseOf("typing-error", question, { answers: question.answers }, { question: wrong })]
    }),
  )
  take("other-language", alternating(others.map((other) => inOtherLanguage(answerable, other, namesParagraph, caseOf))))
  const leftOut = shuffled(
    questions.filter(({ paragraph }) => paragraph.isLeftOut),
    draw,
  )
  const isNear = ({ answers, paragraph }: Question): boolean => {
    const own = articles.get(paragraph.article)
    return own !== undefined && !own.some(({ text }) => holdsAny(text, answers))
  }
  const isForeign = ({ paragraph }: Question): boolean => !articles.has(paragraph.article)
  for (const [kind, isOfKind] of [
    ["near miss", isNear],
    ["off topic", isForeign],
  ] as const) {
    take(
      kind,
      leftOut
        .values()
        .filter(isOfKind)
        .map((question) => caseOf("absent", question, { absent: true })),
    )
  }
  return {
    name,
    files: Array.from(articles, ([article, own]) =>
      textFile(
        `${article.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()}.md`,
        `${language === "en" ? `# ${article}\n\n` : ""}${own.map(({ text }) => text).join("\n\n")}\n`,
      ),
    ),
    cases,
  }
}

/**
 * Questions in another language than the documents. An answer is expected where it can be found without translating:
 * the question has names of the paragraph, and the answer is the same in both languages.
 */
function* inOtherLanguage(
  answerable: ReadonlyArray<Question>,
  other: Collection,
  namesParagraph: (question: string, paragraph: Paragraph) => boolean,
  caseOf: (
    kind: Kind,
    question: Question,
    expected: Partial<Expected>,
    fields?: Partial<Case>,
  ) => readonly [Question, Case],
): Generator<readonly [Question, Case]> {
  const asked = new Map(other.questions.map((question) => [question.id, question]))
  const pairs = answerable.flatMap((question) => {
    const foreign = asked.get(question.id)
    if (foreign === undefined) return []
    const sameAnswers = question.answers.filter((answer) => foreign.answers.includes(answer))
    const canBeFound = sameAnswers.length > 0 && namesParagraph(foreign.text, question.paragraph)
    return [{ question, foreign, canBeFound }]
  })
  const [found, either] = [pairs.filter(({ canBeFound }) => canBeFound), pairs.filter(({ canBeFound }) => !canBeFound)]
  for (let index = 0; index < pairs.length; index++) {
    for (const pair of [found[index], either[index]]) {
      if (pair === undefined) continue
      const { canBeFound, foreign, question } = pair
      const expected = { answers: question.answers, absent: !canBeFound }
      yield caseOf("other-language", question, expected, { question: foreign.text, language: other.language })
    }
  }
}

/** Words with a capital or a digit, which are the same in many languages. */
const namesOf = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{Script=Latin}\p{N}'’-]{3,}/gu) ?? []).slice(1).filter((word) => /[\p{Lu}\p{N}]/u.test(word))

const beginningsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(bounded(text)).map(beginning))

/** One of each in turn. */
function* alternating<A>(all: ReadonlyArray<Iterator<A>>): Generator<A> {
  let left = all
  while (left.length > 0) {
    const ended = new Set<Iterator<A>>()
    for (const one of left) {
      const next = one.next()
      if (next.done === true) ended.add(one)
      else yield next.value
    }
    left = left.filter((one) => !ended.has(one))
  }
}

const shuffled = <A>(items: ReadonlyArray<A>, draw: () => number): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, place: draw() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item)
