import { formatCount, plural } from "../../../shared/Format.ts"
import { addDays, dayAt, daysBetween } from "../../charts/Days.ts"
import { type Answer, call } from "../../server/Api.ts"
import { lists, pageAfter } from "../../server/Resource.ts"
import { keysOf } from "../../server/Unknown.ts"

/*
 * Topics of a chatbot's questions as the API shows them, in words and weeks.
 */

const route = "/api/external/chatbot/:chatbotId/topics"

type TopicList = Answer<`GET ${typeof route}`>
export type Topic = TopicList["data"][number]
export type TopicQuestion = Answer<`GET ${typeof route}/:topicId/questions`>["data"][number]

export const views = { gaps: "Gaps", all: "All topics" }
export type View = keyof typeof views

/** Topics with open gaps, or all. */
export const topicsOf = lists(async (page, chatbotId: string, view: View) => {
  const query = { page, limit: "30", ...(view === "gaps" && ({ gaps: "true", state: "open" } as const)) }
  const { data, from, metadata, to, ungrouped } = await call(`GET ${route}`, { params: { chatbotId }, query })
  return { items: data, weeks: weeksBetween(from, to), ungrouped, next: pageAfter(metadata) }
})

export const questionsOf = lists(async (page, chatbotId: string, topicId: string, view: View) => {
  const query = { page, limit: "20", ...(view === "gaps" && ({ gaps: "true" } as const)) }
  const { data, metadata } = await call(`GET ${route}/:topicId/questions`, { params: { chatbotId, topicId }, query })
  return { items: data.map((question) => ({ ...question, id: question.message_id })), next: pageAfter(metadata) }
})

/** The id of the reply to the latest question of a topic that shows a gap. */
export const latestGap = async ({ chatbot_id: chatbotId, id: topicId }: Topic): Promise<string | undefined> => {
  const query = { gaps: "true", limit: "1" } as const
  const { data } = await call(`GET ${route}/:topicId/questions`, { params: { chatbotId, topicId }, query })
  return data[0]?.message_id
}

export const changeTopic = async (
  { chatbot_id: chatbotId, id: topicId }: Topic,
  body: { readonly name?: string; readonly state?: Topic["state"] },
): Promise<Topic> => (await call(`PATCH ${route}/:topicId`, { params: { chatbotId, topicId }, body })).topic

/** The Mondays of the weeks from one day to another. */
export const weeksBetween = (from: string, to: string): ReadonlyArray<string> => {
  const monday = addDays(from, -((new Date(`${from}T00:00:00Z`).getUTCDay() + 6) % 7))
  return daysBetween(monday, to).filter((_, index) => index % 7 === 0)
}

/** Whether a topic first appeared within a week. */
export const isNew = ({ first_at }: Pick<Topic, "first_at">, now = Date.now()): boolean =>
  first_at !== null && dayAt(Date.parse(first_at)) >= addDays(dayAt(now), -7)

const countWords = { unanswered: "unanswered", rated_down: "rated down", weak: "with little found" } as const

/** The numbers of a topic in few words, such as `12 questions, 5 unanswered, 1 rated down`. */
export const topicWords = (topic: Pick<Topic, keyof typeof countWords | "questions">): string =>
  [
    plural(topic.questions, "question"),
    ...keysOf(countWords).flatMap((name) =>
      topic[name] === 0 ? [] : [`${formatCount(topic[name])} ${countWords[name]}`],
    ),
  ].join(", ")

export const gapWords = {
  unanswered: { word: "Unanswered", kind: "bad" },
  rated_down: { word: "Thumbs down", kind: "bad" },
  weak: { word: "Little found", kind: "warn" },
} as const
