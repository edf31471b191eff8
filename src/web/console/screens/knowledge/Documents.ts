import { type Answer, call } from "../../server/Api.ts"
import type { LiveEvent } from "../../server/Live.ts"
import { resources } from "../../server/Resource.ts"

export type Document = Answer<"GET /api/external/chatbot/:chatbotId/knowledge-base/documents">["data"][number]

export interface DocumentList {
  readonly documents: ReadonlyArray<Document>
  readonly total: number
}

const PAGE = 100
/** Number of documents that are loaded before the person asks for more. */
export const FIRST_DOCUMENTS = 500

const loadPage = (chatbotId: string, page: number) =>
  call("GET /api/external/chatbot/:chatbotId/knowledge-base/documents", {
    params: { chatbotId },
    query: { page: String(page), limit: String(PAGE) },
  })

const newestFirst = (one: Document, other: Document): number =>
  other.created_at === one.created_at ? other.id.localeCompare(one.id) : other.created_at < one.created_at ? -1 : 1

/** Loads the newest documents, of which the API has the oldest on its first page. */
const loadDocuments = async (chatbotId: string, atLeast: number): Promise<DocumentList> => {
  const first = await loadPage(chatbotId, 1)
  const { totalCount, totalPages } = first.metadata
  const documents: Array<Document> = totalPages <= 1 ? [...first.data] : []
  for (let page = totalPages; totalPages > 1 && page >= 1 && documents.length < atLeast; page--)
    documents.push(...(page === 1 ? first : await loadPage(chatbotId, page)).data)
  return { documents: documents.toSorted(newestFirst), total: totalCount }
}

export const documentList = resources((chatbotId: string, atLeast: string) => loadDocuments(chatbotId, Number(atLeast)))

export const isUnderWay = ({ status }: Document): boolean => status !== "ready" && status !== "failed"

/** Puts a document into a list, in the place of what was known of it unless that is newer. */
export const withDocument = ({ documents, total }: DocumentList, document: Document): DocumentList => {
  const isKnown = documents.some(({ id }) => id === document.id)
  return {
    documents: isKnown
      ? documents.map((each) => (each.id === document.id && each.updated_at <= document.updated_at ? document : each))
      : [document, ...documents].toSorted(newestFirst),
    total: isKnown ? total : total + 1,
  }
}

export const withoutDocument = ({ documents, total }: DocumentList, documentId: string): DocumentList => {
  const left = documents.filter(({ id }) => id !== documentId)
  return { documents: left, total: total - (documents.length - left.length) }
}

/** The list after an event; undefined where it has to be read anew. */
export const afterEvent = (list: DocumentList, event: LiveEvent): DocumentList | undefined => {
  if (event.type === "document") return withDocument(list, event.document)
  if (event.type === "document_deleted") return withoutDocument(list, event.document_id)
  return event.type === "resync" || event.type === "knowledge" ? undefined : list
}
