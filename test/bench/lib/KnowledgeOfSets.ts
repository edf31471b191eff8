import { Effect } from "effect"
import type { ChatbotId } from "../../../src/domain/Ids.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { addDocument, makeChatbot, publish } from "./Filling.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** A knowledge base with the passages of a set. */
export interface StoredPassages {
  readonly chatbotId: ChatbotId
  /** The ids of the passages by their documents and places. */
  readonly passageOf: ReadonlyMap<string, string>
}

/** The key of a hit in `StoredPassages.passageOf`. */
export const placeOf = ({ documentId, ordinal }: { readonly documentId: string; readonly ordinal: number }): string =>
  `${documentId} ${ordinal}`

/** Stores passages in the database: each is a chunk, and neighbours with one title are a document. */
export const store = Effect.fnUntraced(function* (name: string, passages: RetrievalSet["passages"]) {
  const chatbotId = yield* makeChatbot(name)
  const passageOf = new Map<string, string>()
  for (const run of runsOf(passages)) {
    const texts = run.map((passage) => passage.text)
    const documentId = yield* addDocument(chatbotId, run[0]?.title ?? "", texts)
    for (const [index, { id }] of run.entries()) passageOf.set(placeOf({ documentId, ordinal: index + 1 }), id)
  }
  yield* publish(chatbotId)
  const stored: StoredPassages = { chatbotId, passageOf }
  return stored
})

/** The ids of the passages of a stored set by those of their chunks. */
export const passagesByChunk = Effect.fnUntraced(function* ({ chatbotId, passageOf }: StoredPassages) {
  const sql = yield* SystemSql
  const rows = yield* sql<{ id: string; document: string; ordinal: number }>`
    select id, document_id as document, ordinal from chunks where chatbot_id = ${chatbotId}`
  return new Map(
    rows.map(({ document, id, ordinal }) => [id, passageOf.get(placeOf({ documentId: document, ordinal })) ?? ""]),
  )
})

const runsOf = (passages: RetrievalSet["passages"]): ReadonlyArray<RetrievalSet["passages"]> => {
  const runs: Array<Array<RetrievalSet["passages"][number]>> = []
  for (const passage of passages) {
    const last = runs.at(-1)
    if (passage.title !== "" && last?.[0]?.title === passage.title) last.push(passage)
    else runs.push([passage])
  }
  return runs
}
