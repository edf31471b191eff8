import { ROWS_MAX, type View } from "../../parts/Table.tsx"
import { type Answer, call } from "../../server/Api.ts"
import type { LiveEvent } from "../../server/Live.ts"
import { resources } from "../../server/Resource.ts"

export type Document = Answer<"GET /api/external/chatbot/:chatbotId/knowledge-base/documents">["data"][number]

/** One page of the documents that are wanted, and numbers of documents: of those, of all, and of all in a state. */
export interface DocumentList {
  readonly documents: ReadonlyArray<Document>
  readonly found: number
  readonly total: number
  readonly in_progress: number
  readonly failed: number
}

const route = "GET /api/external/chatbot/:chatbotId/knowledge-base/documents"
type Query = NonNullable<Parameters<typeof call<typeof route>>[1]>["query"]
type Sort = NonNullable<NonNullable<Query>["sort"]>

/** What a person wants to see of a chatbot's documents: the newest first, unless it has another order. */
export interface DocumentsWanted extends View {
  readonly search: string
  readonly state: "in_progress" | "failed" | ""
}

const loadPage = (chatbotId: string, query: Query) =>
  call(route, { params: { chatbotId }, query: { sort: "created_at", order: "desc", ...query } })

const countOf = async (chatbotId: string, query: Query): Promise<number> =>
  (await loadPage(chatbotId, { ...query, limit: "1" })).metadata.totalCount

/** The documents that are wanted, as JSON. */
export const documentList = resources(async (chatbotId: string, wanted: string): Promise<DocumentList> => {
  const { order, page, search, state }: DocumentsWanted = JSON.parse(wanted)
  const query: Query = {
    search: search.trim() || undefined,
    state: state || undefined,
    ...(order !== undefined && { sort: order.by as Sort, order: order.isFalling ? "desc" : "asc" }),
  }
  const pageAt = (number: number) => loadPage(chatbotId, { ...query, page: String(number), limit: String(ROWS_MAX) })
  const isOfAll = query.search === undefined && query.state === undefined
  const [asked, total, in_progress, failed] = await Promise.all([
    pageAt(page + 1),
    isOfAll ? undefined : countOf(chatbotId, {}),
    countOf(chatbotId, { state: "in_progress" }),
    countOf(chatbotId, { state: "failed" }),
  ])
  // What was on later pages may be deleted by now.
  const { totalCount: found, totalPages } = asked.metadata
  const { data } = asked.data.length === 0 && found > 0 ? await pageAt(totalPages) : asked
  return { documents: data, found, total: total ?? found, in_progress, failed }
})

/** The newest documents, up to five hundred. */
export const newestDocuments = async (chatbotId: string): Promise<ReadonlyArray<Document>> => {
  const all: Array<Document> = []
  for (let page = 1, pages = 1; page <= Math.min(pages, 5); page++) {
    const { data, metadata } = await loadPage(chatbotId, { page: String(page), limit: "100" })
    all.push(...data)
    pages = metadata.totalPages
  }
  return all
}

export const isUnderWay = ({ status }: Document): boolean => status !== "ready" && status !== "failed"

/** Puts a document into a list: in the place of what was known of it unless that is newer, or else before the others. */
export const withDocument = (list: DocumentList, document: Document): DocumentList =>
  list.documents.some(({ id }) => id === document.id)
    ? {
        ...list,
        documents: list.documents.map((each) =>
          each.id === document.id && each.updated_at <= document.updated_at ? document : each,
        ),
      }
    : { ...list, documents: [document, ...list.documents], found: list.found + 1, total: list.total + 1 }

/** The list after an event, as far as its page tells; undefined where it has to be read anew at once. */
export const afterEvent = (list: DocumentList, event: LiveEvent): DocumentList | undefined => {
  if (event.type === "document")
    return list.documents.some(({ id }) => id === event.document.id) ? withDocument(list, event.document) : { ...list }
  if (event.type === "document_deleted")
    return { ...list, documents: list.documents.filter(({ id }) => id !== event.document_id) }
  return event.type === "resync" || event.type === "knowledge" ? undefined : list
}
