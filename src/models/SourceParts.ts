import type { Response } from "effect/ai"
import type { PassageJson } from "../domain/Passage.ts"

/** Where a passage comes from, as a model is told it. */
export const sourceName = ({ chunk, document_id }: Pick<PassageJson, "chunk" | "document_id">): string =>
  `${document_id}#${chunk}`

/** What a model says that it rests on; `Citations.ts` knows which passage that is. None when no passage has the name. */
export const sourcePart = (name: string, quote: string): Array<Response.DocumentSourcePartEncoded> => {
  const [, document_id, chunk] = /^(.+)#(\d{1,9})$/.exec(name) ?? []
  if (document_id === undefined) return []
  const parley = { document_id, title: "", chunk: Number(chunk), page: null, quote }
  return [
    { type: "source", sourceType: "document", id: name, mediaType: "text/plain", title: "", metadata: { parley } },
  ]
}
