import { DateTime, Effect } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { dayAt, dayNumber, USAGE_DAYS_MAX } from "../../domain/organizations/Usage.ts"
import type { Page } from "../../domain/Page.ts"
import type { SuggestedQuestion, Topic, TopicId, TopicPatch, TopicState } from "../../domain/topics/Topic.ts"
import { Service } from "../../domain/Service.ts"
import { languageShownIn } from "../../language/Detection.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/topics/Topics.ts"
import { inTurns } from "../../system/InTurns.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { questionForm } from "../../language/words/QuestionForm.ts"
import { wordsOf } from "../../language/words/UnicodeWords.ts"
import { isPersonal } from "../../topics/QuestionTerms.ts"
import { hasSuggestedLength, publicQuestion, typicalFirst } from "../../topics/Typical.ts"

/** A list of topics: days, conditions and a page. */
interface ListRequest {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly onlyGaps: boolean
  readonly state: TopicState | undefined
  readonly page: Page
}

/** Twelve weeks. */
const DEFAULT_DAYS = 84
const EXAMPLES = 3
const SUGGESTED_MAX = 20
/** The most suggestions that users ask, so that headings are among them too. */
const ASKED_MAX = 14
/** Matches a heading that is a question. Greek asks with a semicolon. */
const ASKS = /[?？؟;;]\s*$/u
/** Matches a heading below the title, of a passage without what is fenced, such as code. */
const HEADING = /^#{2,4} +(.+?)[ #]*$/gm
const FENCED = /^```[^]*?(?:^```|$(?![^]))/gm
const HEADING_NUMBER = /^\s*(?:[\p{N}]+[.)]?)(?:[\p{N}.)]*)\s+/u
/** The least words of a heading that is offered: a single one says too little. */
const HEADING_WORDS = 2

/** Returns what the users of a chatbot ask, by subject, and questions that could be offered to them. */
export class Topics extends Service<Topics>()("parley/services/topics/Topics", function* () {
  const storage = yield* Storage.Topics
  const chatbots = yield* Chatbots

  const daysOf = Effect.fnUntraced(function* ({ from, to }: Pick<ListRequest, "from" | "to">) {
    const last = to ?? DateTime.formatIsoDateUtc(yield* DateTime.now)
    const begin = from ?? dayAt(dayNumber(last) - DEFAULT_DAYS + 1)
    const days = dayNumber(last) - dayNumber(begin) + 1
    if (days < 1) return yield* InvalidRequest.at("query.to", "Expected a day that is not before `from`")
    if (days > USAGE_DAYS_MAX) {
      return yield* InvalidRequest.at("query.from", `Expected at most ${USAGE_DAYS_MAX} days up to \`to\``)
    }
    return { from: begin, to: last }
  })

  /** Adds to topics of a chatbot their weeks, examples and tests. */
  const complete = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    topics: ReadonlyArray<Storage.CountedTopic>,
    onlyGaps: boolean,
    days?: { readonly from: string; readonly to: string },
  ) {
    const ids = topics.map(({ id }) => id)
    const weeks = yield* storage.weeks(ids, days)
    const examples = yield* storage.examples(ids, onlyGaps)
    const tests = yield* storage.tests(chatbot, ids)
    return yield* inTurns(topics, (topic): Topic => ({
      ...topic,
      weeks: (weeks.get(topic.id) ?? []).map(({ gaps, questions, week }) => ({ week, questions, gaps })),
      examples: typicalFirst((examples.get(topic.id) ?? []).map(({ question }) => question)).slice(0, EXAMPLES),
      tests: tests.get(topic.id) ?? { total: 0, passed: 0 },
    }))
  })

  return {
    /** Returns a page of a chatbot's topics, and the number of its questions that are not grouped yet. */
    list: Effect.fn("Topics.list")(function* (chatbot: ChatbotId, { onlyGaps, page, state, ...request }: ListRequest) {
      const days = yield* daysOf(request)
      yield* chatbots.get(chatbot)
      const { topics, total } = yield* storage.list(chatbot, { ...days, onlyGaps, state }, page)
      const data = yield* complete(chatbot, topics, onlyGaps, days)
      return { ...days, data, total, ungrouped: yield* storage.ungrouped(chatbot) }
    }),

    /** Returns a page of the questions of a topic, newest first. */
    questions: (chatbot: ChatbotId, id: TopicId, onlyGaps: boolean, page: Page) =>
      storage.questions(chatbot, id, onlyGaps, page),

    /** Changes the name of a topic, or what is to become of its gaps. */
    update: Effect.fn("Topics.update")(function* (chatbot: ChatbotId, id: TopicId, patch: TopicPatch) {
      const [topic] = yield* complete(chatbot, [yield* storage.update(chatbot, id, patch)], false)
      return yield* Effect.orDie(Effect.fromNullishOr(topic))
    }),

    /** Returns questions that could be offered, without those that are. */
    suggested: Effect.fn("Topics.suggested")(function* (chatbot: ChatbotId) {
      const { chat_widget_config } = yield* chatbots.get(chatbot)
      const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
      const asked = yield* storage.asked(chatbot, dayAt(dayNumber(today) - DEFAULT_DAYS + 1))
      const byTopic = Array.from(Map.groupBy(asked, ({ topic }) => topic).values())
      const frequent = yield* inTurns(byTopic, (questions) => ({
        question: publicQuestion(Array.from(new Map(questions.map((one) => [one.session, one.question])).values())),
        count: questions[0]?.count ?? 0,
      }))
      const mayRead = (yield* Caller).scopes.includes("knowledge:read")
      const written = mayRead ? yield* storage.written(chatbot) : { passages: [], questions: [] }
      const { translations = {}, suggestions = [] } = chat_widget_config
      const offered = [suggestions, ...Object.values(translations).map((words) => words.suggestions ?? [])].flat()
      const seen = new Set(offered.map(formOf))
      const found: Array<SuggestedQuestion> = []
      const offer = (question: string, origin: SuggestedQuestion["origin"], count: number) => {
        const form = formOf(question)
        if (found.length === SUGGESTED_MAX || form === "" || seen.has(form)) return
        seen.add(form)
        found.push({ question, origin, count, language: languageShownIn(textOf(question)) ?? null })
      }
      for (const { count, question } of frequent) {
        if (question !== undefined && found.length < ASKED_MAX) offer(question, "asked", count)
      }
      const headings = written.passages
        .flatMap((passage) => Array.from(passage.replaceAll(FENCED, "").matchAll(HEADING), ([, text = ""]) => text))
        .map((heading) => heading.replace(HEADING_NUMBER, "").trim())
        .filter((heading) => !isPersonal(textOf(heading)) && wordsOf(textOf(heading)).length >= HEADING_WORDS)
      // Whole questions are understood best; a heading that is none still says what there is to ask about.
      const offers = [...written.questions, ...headings.toSorted((left, right) => asks(right) - asks(left))]
      for (const text of offers) if (hasSuggestedLength(text)) offer(text, "heading", 0)
      return found
    }),
  }
}) {}

const textOf = (text: string) => bounded(text, MESSAGE_MAX_LENGTH)
const formOf = (text: string) => questionForm(textOf(text))
const asks = (text: string): number => (ASKS.test(text) ? 1 : 0)
