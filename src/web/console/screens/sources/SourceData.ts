import { useEffect } from "preact/hooks"
import { formatCount } from "../../../shared/Format.ts"
import type { Options } from "../../parts/Layout.tsx"
import { type Answer, call } from "../../server/Api.ts"
import { listen } from "../../server/Live.ts"
import { resources } from "../../server/Resource.ts"
import { keysOf } from "../../server/Unknown.ts"

/*
 * Sources of knowledge as the API shows them, and the words for their states.
 */

export type Source = Answer<"GET /api/external/chatbot/:chatbotId/sources">["sources"][number]
export type SourceKind = Source["kind"]
export type SourceRun = NonNullable<Source["last_run"]>
export type SourcePage = Answer<"GET /api/external/chatbot/:chatbotId/sources/:sourceId/pages">["data"][number]
export type PageOutcome = NonNullable<SourcePage["outcome"]>
export type Schedule = NonNullable<Source["schedule"]>

/** The path parameters of a source. */
export interface SourceParams {
  readonly chatbotId: string
  readonly sourceId: string
}

const route = "/api/external/chatbot/:chatbotId/sources/:sourceId"

export const paramsOf = ({ chatbot_id, id }: Source): SourceParams => ({ chatbotId: chatbot_id, sourceId: id })

export const sourcesOf = resources(
  async (chatbotId: string) =>
    (await call("GET /api/external/chatbot/:chatbotId/sources", { params: { chatbotId } })).sources,
)

export const sourceOf = resources(
  async (chatbotId: string, sourceId: string) =>
    (await call(`GET ${route}`, { params: { chatbotId, sourceId } })).source,
)

export const kindWords: Readonly<Record<SourceKind, string>> = {
  website: "Website",
  sitemap: "Sitemap",
  llms_txt: "llms.txt",
  feed: "RSS or Atom feed",
  text: "Text",
  questions: "Questions and answers",
}

/** Whether a source is read by runs. */
export const isCrawled = ({ kind }: Pick<Source, "kind">): boolean => kind !== "text" && kind !== "questions"

export const scheduleWords: Options<Schedule | ""> = {
  "": "Only on request",
  hourly: "Every hour",
  daily: "Every day",
  weekly: "Every week",
  monthly: "Every month",
}

/** The words for what became of pages, in the order in which they are shown. */
export const outcomeWords = {
  new: { word: "New", kind: "good" },
  changed: { word: "Changed", kind: "good" },
  unchanged: { word: "Unchanged", kind: "good" },
  failed: { word: "Failed", kind: "bad" },
  gone: { word: "Gone", kind: "warn" },
  login: { word: "Login needed", kind: "warn" },
  needs_browser: { word: "Needs a browser", kind: "warn" },
  too_large: { word: "Too large", kind: "warn" },
  not_text: { word: "No text", kind: "plain" },
  duplicate: { word: "Duplicate", kind: "plain" },
  excluded: { word: "Excluded", kind: "plain" },
  removed: { word: "Deleted by hand", kind: "plain" },
  unread: { word: "Not read", kind: "plain" },
  waiting: { word: "Waiting", kind: "busy" },
  deleted: { word: "Deleted", kind: "plain" },
} as const

type Outcome = keyof typeof outcomeWords
type Counts = Readonly<Record<string, number>>

/** The numbers that are not zero, in the order in which they are shown. */
export const countsOf = (counts: Counts): ReadonlyArray<readonly [outcome: Outcome, count: number]> =>
  keysOf(outcomeWords).flatMap((outcome) => {
    const { [outcome]: count = 0 } = counts
    return count === 0 ? [] : [[outcome, count]]
  })

/** Numbers of pages in few words, such as `118 new, 1 failed`. */
export const countsText = (counts: Counts): string =>
  countsOf(counts)
    .map(([outcome, count]) => `${formatCount(count)} ${outcomeWords[outcome].word.toLowerCase()}`)
    .join(", ")

const runWords = {
  stopping: { word: "Stopping", kind: "busy" },
  queued: { word: "Waiting", kind: "busy" },
  running: { word: "Reading", kind: "busy" },
  finished: { word: "Finished", kind: "good" },
  stopped: { word: "Stopped", kind: "plain" },
  failed: { word: "Failed", kind: "bad" },
  held: { word: "Needs a decision", kind: "warn" },
} as const

export const stateOf = ({ status, stopping }: SourceRun) => runWords[stopping ? "stopping" : status]

/** Starts a run; `how` is the body of the request. */
export const startRun = async (
  source: Source,
  how: { readonly only?: PageOutcome; readonly confirm?: boolean } = {},
): Promise<void> => {
  const params = paramsOf(source)
  await call(`POST ${route}/runs`, { params, body: how })
  await sourceOf(params.chatbotId, params.sourceId).reload()
}

/** Looks again when a run of a source of the chatbot goes on, while the component is shown. */
export const useRuns = (chatbotId: string, look: () => unknown): void =>
  useEffect(
    () => listen(chatbotId, ({ type }) => (type === "source" || type === "resync") && look()),
    [chatbotId, look],
  )
