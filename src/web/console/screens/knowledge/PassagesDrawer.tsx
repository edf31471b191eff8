import { formatBytes, formatMoment, plural } from "../../../shared/Format.ts"
import { call } from "../../Api.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Loaded } from "../../parts/States.tsx"
import { resources, useResource } from "../../Resource.ts"
import { DocumentState } from "./DocumentState.tsx"

const PAGE = 20

const documentResource = resources((chatbotId: string, documentId: string) =>
  call("GET /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId", {
    params: { chatbotId, documentId },
  }),
)

interface DrawerProps {
  readonly chatbotId: string
  readonly documentId: string
  /** The number of the passage to begin with. */
  readonly passage: number
  readonly onClose: () => void
}

const fetchPassages = (chatbotId: string, documentId: string, from: number, count: number) =>
  call("GET /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId/passages", {
    params: { chatbotId, documentId },
    query: { cursor: String(from), limit: String(count) },
  })

type PassageList = Awaited<ReturnType<typeof fetchPassages>>

/** Passages of a document from one on, as far as they have been fetched. */
const passagesFrom = resources((chatbotId: string, documentId: string, from: string) =>
  fetchPassages(chatbotId, documentId, Number(from), PAGE),
)

const Passages = ({ chatbotId, documentId, passage }: Omit<DrawerProps, "onClose">) => {
  const list = useResource(passagesFrom(chatbotId, documentId, String(Math.max(1, passage))))
  const more = (known: PassageList) =>
    list.extend(known, async () => {
      const page = await fetchPassages(chatbotId, documentId, Number(known.next_cursor), PAGE)
      return { ...page, passages: [...known.passages, ...page.passages] }
    })
  const before = (known: PassageList, first: number) =>
    list.extend(known, async () => {
      const from = Math.max(1, first - PAGE)
      const { passages } = await fetchPassages(chatbotId, documentId, from, first - from)
      return { ...known, passages: [...passages, ...known.passages] }
    })
  return (
    <Loaded of={list}>
      {(known) => {
        const first = known.passages[0]?.chunk ?? 1
        return (
          <>
            {first > 1 && (
              <p>
                <Button small busy={list.isExtending.value} onClick={() => void before(known, first)}>
                  Earlier passages
                </Button>
              </p>
            )}
            {known.passages.length === 0 && <p class="soft">There is no passage to read.</p>}
            <ol class="passages">
              {known.passages.map(({ chunk, content, page, section }) => (
                <li key={chunk} class={chunk === passage && passage > 1 ? "current" : undefined}>
                  <p class="passage-place soft small">
                    <span>Passage {chunk}</span>
                    {page !== null && <span>Page {page}</span>}
                    {section !== null && <span class="ellipsis">{section}</span>}
                  </p>
                  <p class="passage-text" dir="auto">
                    {content}
                  </p>
                </li>
              ))}
            </ol>
            {known.next_cursor !== null && (
              <p>
                <Button small busy={list.isExtending.value} onClick={() => void more(known)}>
                  More passages
                </Button>
              </p>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** A document with the passages that searches find in it. */
export const PassagesDrawer = ({ chatbotId, documentId, onClose, passage }: DrawerProps) => {
  const document = useResource(documentResource(chatbotId, documentId))
  return (
    <Dialog kind="drawer" title={document.data.value?.document.name ?? "Document"} onClose={onClose}>
      <Loaded of={document}>
        {({ document: { chunk_count, content_type, created_at, size_bytes, status, ...rest } }) => (
          <div class="stack">
            <p class="passage-place soft small">
              <span>{content_type}</span>
              <span>{formatBytes(size_bytes)}</span>
              <span>{plural(chunk_count, "passage")}</span>
              <span>added {formatMoment(created_at)}</span>
            </p>
            {(status !== "ready" || rest.error !== null) && (
              <DocumentState document={{ chunk_count, content_type, created_at, size_bytes, status, ...rest }} />
            )}
            <Passages chatbotId={chatbotId} documentId={documentId} passage={passage} />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
