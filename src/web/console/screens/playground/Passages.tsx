import { formatShare } from "../../../shared/Format.ts"
import { href } from "../../Router.ts"
import { can } from "../../Session.ts"
import type { FoundPassage } from "./Waterfall.ts"

interface PassagesProps {
  readonly chatbotId: string
  readonly passages: ReadonlyArray<FoundPassage>
}

/** Passages of documents, with how similar each is to what was asked. */
export const Passages = ({ chatbotId, passages }: PassagesProps) => (
  <ol class="passages">
    {passages.map(({ chunk, content, documentId, section, similarity, title }, index) => (
      <li class="passage" key={index}>
        <div class="passage-head">
          <span>
            <strong>
              {documentId === undefined || !can("knowledge:read") ? (
                title
              ) : (
                <a href={href("knowledge", { chatbotId }, { document: documentId, passage: chunk?.toString() })}>
                  {title}
                </a>
              )}
            </strong>
            {chunk !== undefined && ` · passage ${chunk}`}
            {section !== undefined && ` · ${section}`}
          </span>
          {similarity !== undefined && (
            <span class="similarity" title="Similarity to what was asked">
              <span class="similarity-bar" aria-hidden="true">
                <span style={{ "--share": String(similarity) }} />
              </span>
              {formatShare(similarity)} similar
            </span>
          )}
        </div>
        <p class="passage-text">{content}</p>
      </li>
    ))}
  </ol>
)
