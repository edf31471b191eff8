import { type Signal, useSignal } from "@preact/signals"
import { RefreshCw, RotateCcw } from "lucide"
import { formatBytes, formatCount, plural } from "../../../shared/Format.ts"
import { Button, deleteItem, Menu, pickFiles } from "../../parts/Buttons.tsx"
import { confirmDeletion } from "../../parts/Dialogs.tsx"
import { bind, SearchField } from "../../parts/Field.tsx"
import { Ago, Badge, ExternalLink, Tabs } from "../../parts/Layout.tsx"
import { Bulk, type Column, numberColumn, Table } from "../../parts/Table.tsx"
import { attempt } from "../../parts/Toast.ts"
import { useTyped } from "../../parts/Typing.ts"
import { href, setQuery } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import type { Source } from "../sources/SourceData.ts"
import type { Document, DocumentList, DocumentsWanted } from "./Documents.ts"
import { UploadRows } from "./UploadRows.tsx"
import { accept, type Uploads } from "./Uploads.ts"

const words = { queued: "Queued", extracting: "Reading", embedding: "Indexing" } as const

/** The state of a document, with its progress or its failure. */
export const DocumentState = ({
  document: { chunk_count: chunks, error, name, progress, status },
}: {
  readonly document: Document
}) => (
  <span class="document-state row">
    {status === "ready" && (
      <Badge kind={error === null ? "good" : "warn"}>{error === null ? "Ready" : "Replacement failed"}</Badge>
    )}
    {status === "failed" && <Badge kind="bad">Failed</Badge>}
    {status !== "ready" && status !== "failed" && (
      <>
        <Badge kind={error === null ? "busy" : "warn"}>{error === null ? words[status] : "Waiting"}</Badge>
        <progress max={1} value={status === "queued" ? undefined : progress} aria-label={`Progress: ${name}`} />
        {status === "embedding" && chunks > 0 && <span class="soft small">Already searchable</span>}
      </>
    )}
    {error !== null && <span class="soft small anywhere">{error.message}</span>}
  </span>
)

interface DocumentTableProps {
  readonly chatbotId: string
  readonly list: DocumentList
  readonly sources: ReadonlyArray<Source>
  readonly uploads: Uploads
  readonly mayWrite: boolean
  readonly onChanged: () => void
  readonly wanted: Signal<DocumentsWanted>
}

const route = "/api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId"

export const DocumentTable = ({
  chatbotId,
  list,
  mayWrite,
  onChanged,
  sources,
  uploads,
  wanted,
}: DocumentTableProps) => {
  const search = useSignal(wanted.value.search)
  const want = (changes: Partial<DocumentsWanted>): void => {
    wanted.value = { ...wanted.value, page: 0, ...changes }
  }
  useTyped(search.value, (text) => text !== wanted.value.search && want({ search: text }))
  const sourceOf = ({ source_id }: Document): string => sources.find(({ id }) => id === source_id)?.name ?? ""
  const retry = async (documents: ReadonlyArray<Document>): Promise<void> => {
    for (const { id, status } of documents)
      if (status === "failed")
        await attempt(() => call(`POST ${route}/retry`, { params: { chatbotId, documentId: id } }))
    onChanged()
  }
  const chosenIds = useSignal<ReadonlyArray<string>>([])
  const remove = (documents: ReadonlyArray<Document>): Promise<void> => {
    const [first] = documents
    const what = documents.length === 1 && first !== undefined ? first.name : plural(documents.length, "document")
    const text = `The chatbot will no longer answer from ${documents.length === 1 ? "it" : "them"}. This cannot be undone.`
    return confirmDeletion(what, text, async () => {
      for (const { id } of documents) await call(`DELETE ${route}`, { params: { chatbotId, documentId: id } })
      onChanged()
    })
  }
  const columns: ReadonlyArray<Column<Document>> = [
    {
      title: "Document",
      kind: "main",
      sort: "name",
      cell: ({ id, name, url }) => (
        <span class="row">
          <button type="button" class="link" dir="auto" onClick={() => setQuery({ document: id })}>
            {name}
          </button>
          {url !== null && (
            <span class="aside">
              <ExternalLink url={url} />
            </span>
          )}
        </span>
      ),
    },
    {
      title: "Status",
      sort: "status",
      width: "12rem",
      cell: (document) => <DocumentState document={document} />,
    },
    {
      title: "Source",
      isExtra: true,
      width: "10rem",
      sort: "source",
      cell: (document) =>
        document.source_id === null ? (
          "Upload"
        ) : (
          <a href={href("source", { chatbotId, sourceId: document.source_id })} dir="auto">
            {sourceOf(document) || "Source"}
          </a>
        ),
    },
    numberColumn("Passages", ({ chunk_count }) => chunk_count, formatCount, { width: "6rem", sort: "chunk_count" }),
    numberColumn("Size", ({ size_bytes }) => size_bytes, formatBytes, { width: "6rem", sort: "size_bytes" }),
    {
      title: "Updated",
      sort: "updated_at",
      width: "8rem",
      isExtra: true,
      cell: ({ updated_at }) => <Ago at={updated_at} />,
    },
  ]
  const actionsOf = (document: Document) =>
    mayWrite && (
      <Menu
        label={`Actions for ${document.name}`}
        items={[
          document.status === "failed" && { label: "Retry", icon: RotateCcw, onChoose: () => retry([document]) },
          {
            label: "Replace…",
            icon: RefreshCw,
            onChoose: () => pickFiles({ accept }, (files) => uploads.add(files, document.id)),
          },
          deleteItem(() => remove([document])),
        ]}
      />
    )
  const { documents, failed, found, in_progress: underWay, total } = list
  const { state } = wanted.value
  const chosen = documents.filter(({ id }) => chosenIds.value.includes(id))
  return (
    <>
      <UploadRows uploads={uploads} />
      {total > 0 && (
        <>
          <div class="toolbar row">
            <SearchField label="Search documents" placeholder="Name, address or source" {...bind(search)} />
            {(failed > 0 || underWay > 0 || state !== "") && (
              <Tabs<DocumentsWanted["state"]>
                label="Show"
                value={state}
                onValue={(next) => want({ state: next })}
                options={{
                  "": "All",
                  in_progress: `In progress (${formatCount(underWay)})`,
                  failed: `Failed (${formatCount(failed)})`,
                }}
              />
            )}
            <output class="soft small">{plural(found, "document")}</output>
          </div>
          <Bulk count={chosen.length} onClear={() => (chosenIds.value = [])}>
            {chosen.some(({ status }) => status === "failed") && (
              <Button small onClick={() => retry(chosen)}>
                Retry failed
              </Button>
            )}
            <Button small onClick={() => remove(chosen)}>
              Delete…
            </Button>
          </Bulk>
          {documents.length === 0 ? (
            <p class="soft">No matching documents.</p>
          ) : (
            <Table
              label="Documents"
              columns={columns}
              rows={documents}
              paging={{ total: found, view: wanted.value, onView: want }}
              actions={actionsOf}
              choice={mayWrite ? { chosen: chosenIds, nameOf: ({ name }) => name } : undefined}
            />
          )}
        </>
      )}
    </>
  )
}
