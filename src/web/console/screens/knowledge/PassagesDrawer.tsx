import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { formatBytes, formatMoment, plural } from "../../../shared/Format.ts"
import { call } from "../../Api.ts"
import type { Answer } from "../../Endpoints.ts"
import { type Failure, toFailure } from "../../Failure.ts"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Loaded, Problem, Skeleton } from "../../parts/States.tsx"
import { resources, useResource } from "../../Resource.ts"
import { DocumentState } from "./DocumentState.tsx"

type Passage =
  Answer<"GET /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId/passages">["passages"][number]

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

const Passages = ({ chatbotId, documentId, passage }: Omit<DrawerProps, "onClose">) => {
  const passages = useSignal<ReadonlyArray<Passage> | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const next = useSignal<string | null>(null)
  const read = async (from: number, count: number) => {
    failure.value = undefined
    try {
      return await call("GET /api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId/passages", {
        params: { chatbotId, documentId },
        query: { cursor: String(from), limit: String(count) },
      })
    } catch (error) {
      failure.value = toFailure(error)
      return undefined
    }
  }
  const begin = async (): Promise<void> => {
    const page = await read(Math.max(1, passage), PAGE)
    if (page === undefined) return
    passages.value = page.passages
    next.value = page.next_cursor
  }
  const more = async (): Promise<void> => {
    const page = await read(Number(next.value), PAGE)
    if (page === undefined) return
    passages.value = [...(passages.value ?? []), ...page.passages]
    next.value = page.next_cursor
  }
  const before = async (first: number): Promise<void> => {
    const from = Math.max(1, first - PAGE)
    const page = await read(from, first - from)
    if (page !== undefined) passages.value = [...page.passages, ...(passages.value ?? [])]
  }
  useEffect(() => void begin(), [])
  const shown = passages.value
  const first = shown?.[0]?.chunk ?? 1
  return (
    <>
      {failure.value !== undefined && <Problem failure={failure.value} onRetry={() => void begin()} />}
      {shown === undefined && failure.value === undefined && <Skeleton />}
      {first > 1 && (
        <p>
          <Button small onClick={() => void before(first)}>
            Earlier passages
          </Button>
        </p>
      )}
      {shown?.length === 0 && <p class="soft">There is no passage to read.</p>}
      <ol class="passages">
        {shown?.map(({ chunk, content, page, section }) => (
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
      {next.value !== null && (
        <p>
          <Button small onClick={() => void more()}>
            More passages
          </Button>
        </p>
      )}
    </>
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
