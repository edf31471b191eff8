import type { Citation, ToolResult } from "../../domain/chat/Chat.ts"
import type {
  ChatbotSetup,
  FoundPassage,
  ReplyDifference,
  ReplyReview,
  ReplySearch,
} from "../../domain/chat/ReplyGround.ts"
import { LIKELY_SIMILARITY } from "../../domain/knowledge/Passage.ts"
import { extractiveModel } from "../../domain/chatbot/Chatbot.ts"
import type { PassageNow } from "../../storage/conversations/Replies.ts"
import { cut } from "../../text/Cut.ts"
import { passageIn } from "./CitedPassage.ts"

/*
 * Compares what a reply rested on with what it would rest on now. Each difference has a weight, by which the likeliest
 * cause of another answer comes first.
 */

/** Weights of differences. Those of the knowledge count more where the reply cites it. */
const weights = {
  /** An answer that people have approved for this very question takes the place of any other. */
  approvedForQuestion: 100,
  citedDocument: 90,
  approved: 80,
  citedPassage: 75,
  /** One that now stands before all that are cited. */
  decisivePassage: 70,
  prompt: 60,
  model: 55,
  personality: 50,
  settings: 45,
  foundDocument: 40,
  otherPassage: 30,
  ranking: 20,
  /** The prompt of a model that reads none. */
  unread: 15,
  server: 10,
}

/** The most differences that are shown. */
const DIFFERENCES_MAX = 30
/** The longest text of a difference, in UTF-16 code units. */
const TEXT_MAX_LENGTH = 4_000

/** A stored reply, as far as its differences depend on it. */
export interface ComparedReply {
  readonly sources: ReadonlyArray<Citation>
  readonly toolResults: ReadonlyArray<ToolResult>
  /** The model that made it. */
  readonly model: string | null
}

type Ground = ReplyReview["now"]
type Weighed = readonly [weight: number, difference: ReplyDifference]

/**
 * Returns the differences between what a reply rested on and what it would rest on now, the likeliest cause of another
 * answer first.
 *
 * @param places what stands now where the passages stood that were found then; those of deleted documents are missing
 */
export const differencesOf = (
  reply: ComparedReply,
  before: Ground,
  now: Ground,
  places: ReadonlyArray<PassageNow>,
): ReadonlyArray<ReplyDifference> => {
  const documents = documentDifferences(reply, before.searches, now.searches, places)
  const changes = [
    ...approvedDifferences(before.searches, now.searches),
    ...documents.values(),
    ...passageDifferences(reply, before.searches, now.searches, documents),
    ...setupDifferences(reply, before, now),
  ]
  return changes
    .toSorted(([one], [other]) => other - one)
    .slice(0, DIFFERENCES_MAX)
    .map(([, difference]) => difference)
}

const weighed = (
  weight: number,
  kind: ReplyDifference["kind"],
  detail: string,
  before?: string,
  after?: string,
  document_id?: FoundPassage["document_id"],
): Weighed => [
  weight,
  {
    kind,
    detail,
    ...(document_id !== undefined && { document_id }),
    ...(before !== undefined && { before: cut(before, TEXT_MAX_LENGTH) }),
    ...(after !== undefined && { after: cut(after, TEXT_MAX_LENGTH) }),
  },
]

const passagesOf = (searches: ReadonlyArray<ReplySearch>) => searches.flatMap(({ passages }) => passages)
const placeOf = ({ chunk, document_id }: FoundPassage | Citation): string => `${document_id}#${chunk}`

/** Whether a passage is the approved answer to the question itself, and was not only found among others. */
export const isForQuestion = ({ approved, similarity }: FoundPassage): boolean => approved === true && similarity === 1

const approvedIn = (searches: ReadonlyArray<ReplySearch>): ReadonlyMap<string, FoundPassage> =>
  new Map(
    passagesOf(searches)
      .filter(({ approved }) => approved === true)
      // Those for the question itself come last, and so they stay.
      .toSorted((one, other) => Number(isForQuestion(one)) - Number(isForQuestion(other)))
      .map((passage) => [passage.document_id, passage]),
  )

const approvedDifferences = (before: ReadonlyArray<ReplySearch>, now: ReadonlyArray<ReplySearch>) => {
  const [then, today] = [approvedIn(before), approvedIn(now)]
  return [...new Set([...then.keys(), ...today.keys()])].flatMap((document): ReadonlyArray<Weighed> => {
    const [old, current] = [then.get(document), today.get(document)]
    const one = current ?? old
    if (one === undefined) return []
    if (old !== undefined && current !== undefined) {
      const isSame = old.revision === current.revision && isForQuestion(old) === isForQuestion(current)
      if (isSame) return []
    }
    const isDecisive = [old, current].some((passage) => passage !== undefined && isForQuestion(passage))
    const what = old === undefined ? "is found now" : current === undefined ? "is not found any more" : "has changed"
    const detail = `The approved answer to “${one.title}” ${what}.`
    const weight = isDecisive ? weights.approvedForQuestion : weights.approved
    return [weighed(weight, "approved_answer", detail, undefined, current?.content, one.document_id)]
  })
}

/** The places on which a reply rests: those that it cites, or what was found first where it cites none. */
const groundsOf = ({ sources }: ComparedReply, searches: ReadonlyArray<ReplySearch>): ReadonlySet<string> => {
  if (sources.length > 0) return new Set(sources.map(placeOf))
  const first = searches.flatMap(({ passages }) => passages.slice(0, 1))
  return new Set(first.filter(({ similarity }) => similarity >= LIKELY_SIMILARITY).map(placeOf))
}

/** The differences between documents that were found then, and the passages that they still have now. */
const documentDifferences = (
  reply: ComparedReply,
  before: ReadonlyArray<ReplySearch>,
  now: ReadonlyArray<ReplySearch>,
  places: ReadonlyArray<PassageNow>,
) => {
  const cited = groundsOf(reply, before)
  const changes = new Map<string, Weighed>()
  for (const passage of passagesOf(before)) {
    const { chunk, document_id, revision, title } = passage
    const isCited = cited.has(placeOf(passage))
    if (passage.approved === true || (changes.has(document_id) && !isCited)) continue
    const weight = isCited ? weights.citedDocument : weights.foundDocument
    const what = !isCited
      ? "which was found"
      : reply.sources.length > 0
        ? "which the reply cites"
        : "which was found first"
    const text = textOf(reply, passage)
    const stands = places.find(({ id }) => id === document_id)
    if (stands === undefined) {
      const detail = `The document “${title}”, ${what}, is deleted.`
      changes.set(document_id, weighed(weight, "document_deleted", detail, text, undefined, document_id))
      continue
    }
    if (stands.revision === revision) continue
    const here = places.find((place) => place.id === document_id && place.chunk === chunk)?.content ?? undefined
    const foundNow = passagesOf(now).filter((one) => one.document_id === document_id)
    // The document is another one, but not where it was found.
    if (text !== undefined && [here, ...foundNow.map(({ content }) => content)].some((one) => one?.includes(text)))
      continue
    const detail = `The document “${title}”, ${what}, has other content since.`
    changes.set(
      document_id,
      weighed(weight, "document_changed", detail, text, here ?? foundNow[0]?.content, document_id),
    )
  }
  return changes
}

/** The text that a passage had, as far as the reply shows it. */
const textOf = ({ sources, toolResults }: ComparedReply, passage: FoundPassage): string | undefined =>
  passageIn(toolResults, passage)?.content ?? sources.find((source) => placeOf(source) === placeOf(passage))?.quote

/** The differences between the passages of documents that are there as they were, or of which `changed` says nothing. */
const passageDifferences = (
  reply: ComparedReply,
  before: ReadonlyArray<ReplySearch>,
  now: ReadonlyArray<ReplySearch>,
  changed: ReadonlyMap<string, unknown>,
) => {
  const cited = groundsOf(reply, before)
  const isPlain = ({ approved, document_id }: FoundPassage) => approved !== true && !changed.has(document_id)
  const isSame = (old: FoundPassage, one: FoundPassage) => {
    if (old.document_id !== one.document_id) return false
    if (old.revision === one.revision) return old.chunk === one.chunk
    const text = textOf(reply, old)
    return text !== undefined && one.content?.includes(text) === true
  }
  const differences = new Map<string, Weighed>()
  for (const { passages, query } of before) {
    const today = now.find((search) => search.query === query)?.passages.filter(isPlain)
    const then = passages.filter(isPlain)
    // Only an approved answer was looked for.
    if (today === undefined || (passages.length > 0 && passages.every(isForQuestion))) continue
    const former = today.map((passage) => then.find((old) => isSame(old, passage)))
    const firstCited = former.findIndex((old) => old !== undefined && cited.has(placeOf(old)))
    for (const [index, passage] of today.entries()) {
      if (former[index] !== undefined) continue
      const isFirst = firstCited === -1 ? index === 0 : index < firstCited
      const isDecisive = isFirst && passage.similarity >= LIKELY_SIMILARITY
      const weight = isDecisive ? weights.decisivePassage : weights.otherPassage
      const detail = `A passage of “${passage.title}” is found now, at place ${index + 1}.`
      const { content, document_id } = passage
      differences.set(placeOf(passage), weighed(weight, "passage_appeared", detail, undefined, content, document_id))
    }
    for (const [index, old] of then.entries()) {
      if (former.includes(old)) continue
      const weight = cited.has(placeOf(old)) ? weights.citedPassage : weights.otherPassage
      const detail = `A passage of “${old.title}” is not found any more; it was at place ${index + 1}.`
      const text = textOf(reply, old)
      differences.set(placeOf(old), weighed(weight, "passage_gone", detail, text, undefined, old.document_id))
    }
    const first = then.find((old) => former.includes(old))
    const firstNow = former.find((old) => old !== undefined)
    if (first === undefined || firstNow === undefined || first === firstNow) continue
    const detail = "The same passages are found in another order."
    differences.set(query, weighed(weights.ranking, "ranking", detail, first.title, firstNow.title))
  }
  return differences.values()
}

const setupDifferences = (reply: ComparedReply, before: Ground, now: Ground): ReadonlyArray<Weighed> => {
  const differences: Array<Weighed> = []
  const compare = (weight: number, kind: ReplyDifference["kind"], detail: string, old?: string, current?: string) => {
    if (old !== current) differences.push(weighed(weight, kind, detail, old, current))
    return old !== current
  }
  const [{ model, prompt }, settings] = [before.setup.settings, now.setup.settings]
  // The local model reads neither the prompt nor the personality.
  const weightOf = (weight: number) => (settings.model === extractiveModel ? weights.unread : weight)
  compare(weightOf(weights.prompt), "prompt", "The chatbot has another prompt.", prompt, settings.prompt)
  if (!compare(weights.model, "model", "The chatbot has another model.", model, settings.model)) {
    const detail = "A fallback has made the reply, since the provider of the chatbot's model had failed."
    compare(weights.model, "model", detail, reply.model ?? model, model)
  }
  const [tone, toneNow] = [before, now].map(({ setup: { personality } }) =>
    [personality.tone, personality.style].join(", "),
  )
  compare(weightOf(weights.personality), "personality", "The chatbot has another tone or style.", tone, toneNow)
  for (const { detail, read } of decisive)
    compare(weights.settings, "settings", detail, read(before.setup.settings), read(settings))
  const detail = "The server has another version."
  compare(weights.server, "server_version", detail, before.server_version, now.server_version)
  return differences
}

/** The settings that have no kind of their own and make another reply, as people read them. An absent one acts like its default. */
const decisive: ReadonlyArray<{ readonly detail: string; readonly read: (of: ChatbotSetup["settings"]) => string }> = [
  {
    detail: "The chatbot takes other words for synonyms when it searches.",
    read: ({ synonyms = [] }) => synonyms.map((words) => words.join(", ")).join("\n\n"),
  },
  {
    detail: "The chatbot may or may not use its tools, unlike then.",
    read: ({ isToolEnabled }) => (isToolEnabled ? "It may use them." : "It may not use them."),
  },
  {
    detail: "The chatbot treats sentences that no passage supports in another way.",
    read: ({ grounding = "off" }) => grounding,
  },
]
