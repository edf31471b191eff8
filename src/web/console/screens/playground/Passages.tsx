import type { ComponentChildren } from "preact"
import { formatShare } from "../../../shared/Format.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { ExternalLink } from "../../parts/Layout.tsx"
import { place, screenAddress } from "../../Router.ts"
import { can } from "../../server/Session.ts"
import { type Fields, isFields, numberIn, textIn } from "../../server/Unknown.ts"

/** The tool by which models search the knowledge base. */
export const SEARCH_TOOL = "searchKnowledgeBase"

/** A passage from fields whose form nobody vouches for; a source calls its text a quote. */
export const passageOf = (fields: Fields) => {
  const { chunk, content, document_id, page, quote, section, similarity, title, url } = fields
  return {
    title: textIn(title) ?? "",
    chunk: numberIn(chunk),
    section: textIn(section) ?? (numberIn(page) === undefined ? undefined : `page ${numberIn(page)}`),
    content: textIn(content) ?? textIn(quote) ?? "",
    /** From 0 to 1; undefined where it is not known. */
    similarity: numberIn(similarity),
    documentId: textIn(document_id),
    url: textIn(url),
  }
}

/** A passage that a search found, or on which a reply rests. */
export type FoundPassage = ReturnType<typeof passageOf>

/** The passages in the result of a search; undefined for what is no such result. */
export const passagesIn = (toolName: string, output: unknown): ReadonlyArray<FoundPassage> | undefined =>
  toolName === SEARCH_TOOL && Array.isArray(output) ? output.filter(isFields).map(passageOf) : undefined

/** The input of a call of a tool in few words: its only text, or the whole of it as JSON. */
export const briefly = (input: unknown): string => {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input]
  const [only] = values
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(input ?? null)
}

interface PassagesProps {
  readonly passages: ReadonlyArray<FoundPassage>
  /** What is to be said of each passage. */
  readonly notes?: ReadonlyArray<ComponentChildren>
}

/** Passages of documents of the chatbot in the address, with how similar each is to what was asked. */
export const Passages = ({ notes, passages }: PassagesProps) => (
  <ol class="stack tight small">
    {passages.map(({ chunk, content, documentId, section, similarity, title, url }, index) => (
      <li class="passage stack tight" key={index}>
        {notes?.[index]}
        <div class="row apart soft">
          <span>
            {documentId === undefined || !can("knowledge:read") ? (
              <strong>{title}</strong>
            ) : (
              <a
                class="inline"
                href={screenAddress("knowledge", place.value.params, {
                  document: documentId,
                  passage: chunk?.toString(),
                })}
              >
                {title}
              </a>
            )}
            {chunk !== undefined && ` · passage ${chunk}`}
            {section !== undefined && ` · ${section}`}
          </span>
          {similarity !== undefined && (
            <span class="row number" title="How well the passage matches the question">
              <meter aria-hidden="true" value={similarity} /> {formatShare(similarity)} match
            </span>
          )}
        </div>
        <PassageText text={content} />
        {url !== undefined && <ExternalLink url={url} />}
      </li>
    ))}
  </ol>
)
