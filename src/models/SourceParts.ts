import type { Response } from "effect/ai"
import type { PassageJson } from "../domain/knowledge/Passage.ts"

/** The name of a passage in requests to models: the id of its document and the number of its chunk. */
export const sourceName = ({ chunk, document_id }: Pick<PassageJson, "chunk" | "document_id">): string =>
  `${document_id}#${chunk}`

/**
 * The source that a model names for its answer: the passage of `sourceName`, with a quote. Title and page are added
 * where the passages are known. Empty when the name has not the form of one.
 */
export const sourcePart = (name: string, quote: string): Array<Response.DocumentSourcePartEncoded> => {
  const [, document_id, chunk] = /^(.+)#(\d{1,9})$/.exec(name) ?? []
  if (document_id === undefined) return []
  const parley = { document_id, title: "", chunk: Number(chunk), page: null, quote }
  return [
    { type: "source", sourceType: "document", id: name, mediaType: "text/plain", title: "", metadata: { parley } },
  ]
}
