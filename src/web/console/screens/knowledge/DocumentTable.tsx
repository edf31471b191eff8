import { useSignal } from "@preact/signals"
import { RefreshCw, RotateCcw } from "lucide"
import { formatBytes, formatCount, plural } from "../../../shared/Format.ts"
import { Button, deleteItem, Menu, pickFiles } from "../../parts/Buttons.tsx"
import { confirmDeletion } from "../../parts/Dialogs.tsx"
import { bind, SearchField } from "../../parts/Field.tsx"
import { Ago, Badge, ExternalLink, Tabs } from "../../parts/Layout.tsx"
import { Bulk, type Column, numberColumn, Table } from "../../parts/Table.tsx"
import { attempt } from "../../parts/Toast.ts"
import { href, setQuery } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import type { Source } from "../sources/SourceData.ts"
import { type Document, type DocumentList, isUnderWay } from "./Documents.ts"
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
  readonly onMore: () => void
}

type Filter = "all" | "under way" | "failed"

const passes =
  (filter: Filter, search: string, sourceOf: (document: Document) => string) =>
  (document: Document): boolean =>
    (filter === "all" ||
      (isUnderWay(document) ? filter === "under way" : filter === "failed" && document.error !== null)) &&
    [document.name, document.url, sourceOf(document)].join("\n").toLowerCase().includes(search.trim().toLowerCase())

const route = "/api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId"

export const DocumentTable = ({
  chatbotId,
  list,
  mayWrite,
  onChanged,
  onMore,
  sources,
  uploads,
}: DocumentTableProps) => {
  const filter = useSignal<Filter>("all")
  const search = useSignal("")
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
      sort: ({ name }) => name,
      cell: ({ id, name, url }) => (
        <span class="stack tight">
          <button type="button" class="link" dir="auto" onClick={() => setQuery({ document: id })}>
            {name}
          </button>
          {url !== null && <ExternalLink url={url} />}
        </span>
      ),
    },
    {
      title: "Status",
      sort: ({ error, status }) => (error === null ? status : ""),
      width: "15rem",
      cell: (document) => <DocumentState document={document} />,
    },
    {
      title: "Source",
      isExtra: true,
      sort: sourceOf,
      cell: (document) =>
        document.source_id === null ? (
          "Upload"
        ) : (
          <a href={href("source", { chatbotId, sourceId: document.source_id })} dir="auto">
            {sourceOf(document) || "Source"}
          </a>
        ),
    },
    numberColumn("Passages", ({ chunk_count }) => chunk_count, formatCount, { width: "6rem" }),
    numberColumn("Size", ({ size_bytes }) => size_bytes, formatBytes, { width: "6rem" }),
    {
      title: "Updated",
      sort: ({ updated_at }) => updated_at,
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
  const rows = list.documents.filter(passes(filter.value, search.value, sourceOf))
  const chosen = rows.filter(({ id }) => chosenIds.value.includes(id))
  const failed = list.documents.filter(passes("failed", "", sourceOf)).length
  const underWay = list.documents.filter(isUnderWay).length
  return (
    <>
      <UploadRows uploads={uploads} />
      {list.total > 0 && (
        <>
          <div class="toolbar row">
            <SearchField label="Search documents" placeholder="Name, address or source" {...bind(search)} />
            {(failed > 0 || underWay > 0 || filter.value !== "all") && (
              <Tabs<Filter>
                label="Show"
                {...bind(filter)}
                options={{ all: "All", "under way": `In progress (${underWay})`, failed: `Failed (${failed})` }}
              />
            )}
            <output class="soft small">{plural(list.total, "document")}</output>
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
          {rows.length === 0 ? (
            <p class="soft">No matching documents.</p>
          ) : (
            <Table
              label="Documents"
              columns={columns}
              rows={rows}
              actions={actionsOf}
              choice={mayWrite ? { chosen: chosenIds, nameOf: ({ name }) => name } : undefined}
            />
          )}
        </>
      )}
      {list.documents.length < list.total && (
        <div class="more centred">
          <Button onClick={onMore}>Show older documents</Button>
        </div>
      )}
    </>
  )
}
