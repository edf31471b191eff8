import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import ellipsis from "icon:ellipsis"
import bookOpen from "icon:book-open"
import refresh from "icon:refresh-cw"
import rotate from "icon:rotate-ccw"
import trash from "icon:trash"
import { formatAgo, formatBytes, formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { TextField } from "../../parts/Field.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Tabs } from "../../parts/Tabs.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
import { setQuery } from "../../Router.ts"
import { DocumentState } from "./DocumentState.tsx"
import { type Document, type DocumentList, isUnderWay } from "./Documents.ts"
import { accepted } from "./KnowledgeActions.tsx"
import { UploadRows } from "./UploadRows.tsx"
import type { Uploads } from "./Uploads.ts"

interface DocumentTableProps {
  readonly chatbotId: string
  readonly list: DocumentList
  readonly uploads: Uploads
  readonly mayWrite: boolean
  readonly onChanged: () => void
  readonly onMore: () => void
}

type Filter = "all" | "under way" | "failed"

const passes =
  (filter: Filter, search: string) =>
  (document: Document): boolean =>
    (filter === "all" || (filter === "failed" ? document.error !== null : isUnderWay(document))) &&
    document.name.toLowerCase().includes(search.trim().toLowerCase())

const route = "/api/external/chatbot/:chatbotId/knowledge-base/documents/:documentId"

/** The documents with what can be done with each of them. */
export const DocumentTable = ({ chatbotId, list, mayWrite, onChanged, onMore, uploads }: DocumentTableProps) => {
  const filter = useSignal<Filter>("all")
  const search = useSignal("")
  const input = useRef<HTMLInputElement>(null)
  const replaced = useRef<string | undefined>(undefined)

  const act = async (change: () => Promise<unknown>, done?: string): Promise<void> => {
    try {
      await change()
      if (done !== undefined) toast(done)
    } catch (error) {
      toastFailure(error)
    }
    onChanged()
  }
  const remove = async ({ id, name }: Document): Promise<void> => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      text: <p>The chatbot forgets what it read there. This cannot be undone.</p>,
      action: "Delete",
      isDangerous: true,
    })
    if (sure) await act(() => call(`DELETE ${route}`, { params: { chatbotId, documentId: id } }), `${name} is deleted.`)
  }
  const columns: ReadonlyArray<Column<Document>> = [
    {
      title: "Document",
      kind: "main",
      cell: ({ id, name }) => (
        <button type="button" class="link" onClick={() => setQuery({ document: id })}>
          {name}
        </button>
      ),
    },
    { title: "State", cell: (document) => <DocumentState document={document} /> },
    { title: "Passages", kind: "number", isExtra: true, cell: ({ chunk_count }) => formatCount(chunk_count) },
    { title: "Size", kind: "number", isExtra: true, cell: ({ size_bytes }) => formatBytes(size_bytes) },
    {
      title: "Changed",
      isExtra: true,
      cell: ({ updated_at }) => (
        <time class="soft nowrap" datetime={updated_at} title={formatMoment(updated_at)}>
          {formatAgo(updated_at, Date.now())}
        </time>
      ),
    },
    {
      title: "Actions",
      kind: "actions",
      cell: (document) => (
        <Menu
          label={`Actions for ${document.name}`}
          items={[
            {
              label: "Read the passages",
              icon: bookOpen,
              onChoose: () => setQuery({ document: document.id }),
            },
            mayWrite &&
              document.status === "failed" && {
                label: "Try again",
                icon: rotate,
                onChoose: () =>
                  void act(() => call(`POST ${route}/retry`, { params: { chatbotId, documentId: document.id } })),
              },
            mayWrite && {
              label: "Replace …",
              icon: refresh,
              onChoose: () => {
                replaced.current = document.id
                input.current?.click()
              },
            },
            mayWrite && {
              label: "Delete …",
              icon: trash,
              isDangerous: true,
              onChoose: () => void remove(document),
            },
          ]}
        >
          <Icon nodes={ellipsis} size={18} />
        </Menu>
      ),
    },
  ]
  const rows = list.documents.filter(passes(filter.value, search.value))
  const failed = list.documents.filter(passes("failed", "")).length
  const underWay = list.documents.filter(isUnderWay).length
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accepted}
        class="visually-hidden"
        tabIndex={-1}
        aria-label="The file that replaces the document"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ""
          if (file !== undefined && replaced.current !== undefined) uploads.add([file], replaced.current)
        }}
      />
      <UploadRows uploads={uploads} />
      <div class="toolbar">
        <TextField
          label="Search documents"
          labelHidden
          type="search"
          placeholder="Search by name"
          value={search.value}
          onValue={(value) => (search.value = value)}
        />
        {(failed > 0 || underWay > 0 || filter.value !== "all") && (
          <Tabs<Filter>
            label="Documents that are shown"
            value={filter.value}
            onValue={(value) => (filter.value = value)}
            tabs={[
              { value: "all", label: "All" },
              { value: "under way", label: `Under way (${underWay})` },
              { value: "failed", label: `Failed (${failed})` },
            ]}
          />
        )}
        <output class="soft small">{plural(list.total, "document")}</output>
      </div>
      {rows.length === 0 ? (
        <p class="soft">No document is like that.</p>
      ) : (
        <Table label="Documents" columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
      {list.documents.length < list.total && (
        <p>
          <Button onClick={onMore}>Show older documents</Button>
        </p>
      )}
    </>
  )
}
