import { formatBytes, formatMoment, plural } from "../../../shared/Format.ts"
import { PassageText } from "../../parts/Answer.tsx"
import { Dialog } from "../../parts/Dialogs.tsx"
import { ExternalLink, Loaded, More } from "../../parts/Layout.tsx"
import { queryText, setQuery } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { omissionText } from "./Omissions.ts"
import { DocumentState } from "./DocumentTable.tsx"

const PAGE = 20

export const documentResource = resources((chatbotId: string, documentId: string) =>
  call("GET /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId", {
    params: { chatbotId, documentId },
  }),
)

interface DrawerProps {
  readonly chatbotId: string
  readonly documentId: string
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
  const next = async (known: PassageList): Promise<PassageList> => {
    const page = await fetchPassages(chatbotId, documentId, Number(known.next_cursor), PAGE)
    return { ...page, passages: [...known.passages, ...page.passages] }
  }
  const previous = async (known: PassageList): Promise<PassageList> => {
    const first = known.passages[0]?.chunk ?? 1
    const from = Math.max(1, first - PAGE)
    const { passages } = await fetchPassages(chatbotId, documentId, from, first - from)
    return { ...known, passages: [...passages, ...known.passages] }
  }
  return (
    <Loaded of={list}>
      {({ next_cursor, passages }) => (
        <>
          {(passages[0]?.chunk ?? 1) > 1 && (
            <More of={list} onMore={() => list.extend(previous)}>
              Show earlier passages
            </More>
          )}
          {passages.length === 0 && <p class="soft">No passages yet.</p>}
          <ol class="stack">
            {passages.map(({ chunk, content, page, section }) => (
              <li
                key={chunk}
                class={chunk === passage && passage > 1 ? "passage stack tight current" : "passage stack tight"}
              >
                <p class="row spread soft small">
                  <span>Passage {chunk}</span>
                  {page !== null && <span>Page {page}</span>}
                  {section !== null && <span class="ellipsis">{section}</span>}
                </p>
                <PassageText text={content} />
              </li>
            ))}
          </ol>
          {next_cursor !== null && (
            <More of={list} onMore={() => list.extend(next)}>
              Show more passages
            </More>
          )}
        </>
      )}
    </Loaded>
  )
}

const PassagesDrawer = ({ chatbotId, documentId, onClose, passage }: DrawerProps) => {
  const document = useResource(documentResource(chatbotId, documentId))
  return (
    <Dialog kind="drawer" title={document.data.value?.document.name ?? "Document"} onClose={onClose}>
      <Loaded of={document}>
        {({ document: { error, ...known } }) => (
          <>
            <p class="row spread soft small">
              <span>{known.content_type}</span>
              <span>{formatBytes(known.size_bytes)}</span>
              <span>{plural(known.chunk_count, "passage")}</span>
              <span>added {formatMoment(known.created_at)}</span>
              {known.url !== null && <ExternalLink url={known.url} />}
            </p>
            {(known.status !== "ready" || error !== null) && <DocumentState document={{ ...known, error }} />}
            {known.omissions.length > 0 && (
              <ul class="notice warn small anywhere">
                {known.omissions.map((omission) => (
                  <li key={omission.kind}>{omissionText(omission)}</li>
                ))}
              </ul>
            )}
            <Passages chatbotId={chatbotId} documentId={documentId} passage={passage} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

/** The passages of the document that the address of the screen names. */
export const QueriedPassages = ({ chatbotId }: { readonly chatbotId: string }) => {
  const documentId = queryText("document")
  return documentId === "" ? null : (
    <PassagesDrawer
      key={documentId}
      chatbotId={chatbotId}
      documentId={documentId}
      passage={Number(queryText("passage") || 1)}
      onClose={() => setQuery({ document: undefined, passage: undefined })}
    />
  )
}
