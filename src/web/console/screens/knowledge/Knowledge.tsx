import { useComputed } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { chatbotResource } from "../../data/Chatbots.ts"
import { listen } from "../../server/Live.ts"
import { Loaded, Page, Tabs } from "../../parts/Layout.tsx"
import { useResource } from "../../server/Resource.ts"
import { place, setQuery } from "../../Router.ts"
import { can } from "../../server/Session.ts"
import { afterEvent, documentList, FIRST_DOCUMENTS, withDocument } from "./Documents.ts"
import { DocumentTable } from "./DocumentTable.tsx"
import { DropZone } from "./DropZone.tsx"
import { KnowledgeActions } from "./KnowledgeActions.tsx"
import { PassagesDrawer } from "./PassagesDrawer.tsx"
import { SearchTester } from "./SearchTester.tsx"
import { makeUploads } from "./Uploads.ts"

const views = [
  { value: "documents", label: "Documents" },
  { value: "search", label: "Try a search" },
] as const

/** The documents of a chatbot, and what a search finds in them. */
const Knowledge = ({ chatbotId }: { readonly chatbotId: string }) => {
  const query = place.value.query
  const atLeast = query.get("show") ?? String(FIRST_DOCUMENTS)
  const list = useResource(documentList(chatbotId, atLeast))
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const uploads = useMemo(
    () =>
      makeUploads(chatbotId, (documents) => {
        const known = list.data.peek()
        if (known === undefined || documents.length === 0) void list.reload()
        else list.set(documents.reduce(withDocument, known))
      }),
    [chatbotId],
  )
  useEffect(
    () =>
      listen(chatbotId, (event) => {
        const known = list.data.peek()
        const next = known === undefined ? undefined : afterEvent(known, event)
        if (next === undefined) void list.reload()
        else if (next !== known) list.set(next)
      }),
    [chatbotId, list],
  )
  const isEmpty = useComputed(() => list.data.value?.total === 0 && uploads.all.value.length === 0)
  const view = query.get("view") === "search" ? "search" : "documents"
  const mayWrite = can("knowledge:write")
  const documentId = query.get("document")
  return (
    <Page
      title="Knowledge"
      of={chatbot?.name}
      about="What the chatbot answers from."
      actions={
        mayWrite && (
          <KnowledgeActions
            chatbotId={chatbotId}
            name={chatbot?.name ?? ""}
            uploads={uploads}
            isEmpty={isEmpty.value}
            onChanged={() => void list.reload()}
          />
        )
      }
    >
      {!isEmpty.value && (
        <Tabs
          label="View"
          value={view}
          tabs={views}
          onValue={(next) => setQuery({ view: next === "search" ? next : undefined })}
        />
      )}
      {view === "search" && !isEmpty.value ? (
        <SearchTester chatbotId={chatbotId} />
      ) : (
        <DropZone uploads={uploads} isEmpty={isEmpty.value} mayWrite={mayWrite}>
          <Loaded of={list}>
            {(data) => (
              <DocumentTable
                chatbotId={chatbotId}
                list={data}
                uploads={uploads}
                mayWrite={mayWrite}
                onChanged={() => void list.reload()}
                onMore={() => setQuery({ show: String(Number(atLeast) + FIRST_DOCUMENTS) })}
              />
            )}
          </Loaded>
        </DropZone>
      )}
      {documentId !== null && (
        <PassagesDrawer
          key={documentId}
          chatbotId={chatbotId}
          documentId={documentId}
          passage={Number(query.get("passage") ?? 1)}
          onClose={() => setQuery({ document: undefined, passage: undefined })}
        />
      )}
    </Page>
  )
}

export default Knowledge
