import { useComputed } from "@preact/signals"
import { FolderUp, Upload } from "lucide"
import { useEffect, useMemo } from "preact/hooks"
import { chatbotResource } from "../../data/Chatbots.ts"
import { Button, deleteItem, Menu, pickFiles } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { Loaded, Page, Tabs } from "../../parts/Layout.tsx"
import { bindOption, place, setQuery, useAsked } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { listen } from "../../server/Live.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { afterEvent, documentList, FIRST_DOCUMENTS, withDocument } from "./Documents.ts"
import { DocumentTable } from "./DocumentTable.tsx"
import { chosenFiles, DropZone } from "./DropZone.tsx"
import { PassagesDrawer } from "./PassagesDrawer.tsx"
import { SearchTester } from "./SearchTester.tsx"
import { accept, makeUploads } from "./Uploads.ts"

const views = { documents: "Documents", search: "Try a search" }

const deleteAll = (chatbotId: string, name: string): Promise<void> =>
  confirmed(
    {
      title: "Delete all documents?",
      text: `${name} will have nothing left to answer from. This cannot be undone.`,
      action: "Delete all documents",
      typed: name,
    },
    () =>
      call("DELETE /api/external/chatbot/:chatbotId/knowledge-base", { params: { chatbotId }, query: { all: "true" } }),
    "All documents deleted.",
  )

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
  const add = (chosen: ReadonlyArray<File>): void => uploads.add(chosenFiles(chosen))
  const view = bindOption("view", views, "documents")
  const mayWrite = can("knowledge:write")
  const addFiles = (): void => pickFiles({ accept, multiple: true }, add)
  useAsked("add", () => mayWrite && addFiles())
  const documentId = query.get("document")
  return (
    <Page
      title="Knowledge"
      docs="formats"
      of={chatbot?.name}
      about="The documents the chatbot answers from."
      actions={
        mayWrite && (
          <>
            <Button kind="primary" icon={Upload} onClick={addFiles}>
              Add files
            </Button>
            <Menu
              label="More actions"
              items={[
                { label: "Add folder", icon: FolderUp, onChoose: () => pickFiles({ webkitdirectory: true }, add) },
                !isEmpty.value &&
                  deleteItem(
                    () => void deleteAll(chatbotId, chatbot?.name ?? "").then(list.reload),
                    "Delete all documents…",
                  ),
              ]}
            />
          </>
        )
      }
    >
      {!isEmpty.value && <Tabs label="View" {...view} options={views} />}
      {view.value === "search" && !isEmpty.value ? (
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
