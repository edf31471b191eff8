import { useComputed } from "@preact/signals"
import { Download, FileUp, FolderUp, Globe, Plus, Upload } from "lucide"
import { useEffect, useMemo } from "preact/hooks"
import { chatbotResource } from "../../data/Chatbots.ts"
import { deleteItem, Menu, pickFiles } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { Empty, Loaded, Page, Tabs } from "../../parts/Layout.tsx"
import { bindOption, place, setQuery, useAsked } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { listen } from "../../server/Live.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { afterEvent, documentList, FIRST_DOCUMENTS, withDocument } from "./Documents.ts"
import { DocumentTable } from "./DocumentTable.tsx"
import { chosenFiles, DropZone } from "./DropZone.tsx"
import { exportKnowledge, importKnowledge } from "./Archive.ts"
import { sourceItems } from "../sources/AddKnowledge.tsx"
import { sourcesOf, useRuns } from "../sources/SourceData.ts"
import { SourceTable } from "../sources/SourceTable.tsx"
import { QueriedPassages } from "./PassagesDrawer.tsx"
import { SearchTester } from "./SearchTester.tsx"
import { accept, makeUploads } from "./Uploads.ts"

const views = { documents: "Documents", sources: "Sources", search: "Try a search" }

const deleteAll = (chatbotId: string, name: string): Promise<void> =>
  confirmed(
    {
      title: "Delete all documents?",
      text: `${name} will have nothing left to answer from, until its websites are read again. Texts, questions and answers are gone. This cannot be undone.`,
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
  const sources = useResource(sourcesOf(chatbotId))
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
  useRuns(chatbotId, sources.reload)
  const isEmpty = useComputed(
    () => list.data.value?.total === 0 && uploads.all.value.length === 0 && !sources.data.value?.length,
  )
  const add = (chosen: ReadonlyArray<File>): void => uploads.add(chosenFiles(chosen))
  const reload = (): void => void Promise.all([list.reload(), sources.reload()])
  const view = bindOption("view", views, "documents")
  const mayWrite = can("knowledge:write")
  const addFiles = (): void => pickFiles({ accept, multiple: true }, add)
  useAsked("add", () => mayWrite && addFiles())
  return (
    <Page
      title="Knowledge"
      docs="formats"
      about="The documents the chatbot answers from, and where they come from."
      actions={
        <>
          {mayWrite && (
            <Menu
              label="Add knowledge"
              icon={Plus}
              items={[
                { label: "Files", icon: FileUp, onChoose: addFiles },
                { label: "Folder", icon: FolderUp, onChoose: () => pickFiles({ webkitdirectory: true }, add) },
                ...sourceItems(chatbotId),
              ]}
            />
          )}
          <Menu
            label="More actions"
            items={[
              mayWrite && { label: "Import…", icon: Upload, onChoose: () => importKnowledge(chatbotId, reload) },
              !isEmpty.value && {
                label: "Export",
                icon: Download,
                onChoose: () => exportKnowledge(chatbotId, chatbot?.name ?? "Knowledge"),
              },
              mayWrite &&
                !isEmpty.value &&
                deleteItem(
                  () => void deleteAll(chatbotId, chatbot?.name ?? "").then(list.reload),
                  "Delete all documents…",
                ),
            ]}
          />
        </>
      }
    >
      {!isEmpty.value && <Tabs label="View" {...view} options={views} />}
      {view.value === "search" && !isEmpty.value && <SearchTester chatbotId={chatbotId} />}
      {view.value === "sources" && !isEmpty.value && (
        <Loaded
          of={sources}
          empty={
            <Empty icon={Globe} title="No sources yet">
              Add a website, a text, or questions and answers. Uploaded files are among the documents.
            </Empty>
          }
        >
          {(all) => <SourceTable sources={all} />}
        </Loaded>
      )}
      {(view.value === "documents" || isEmpty.value) && (
        <DropZone uploads={uploads} isEmpty={isEmpty.value} mayWrite={mayWrite}>
          <Loaded of={list}>
            {(data) => (
              <DocumentTable
                chatbotId={chatbotId}
                list={data}
                sources={sources.data.value ?? []}
                uploads={uploads}
                mayWrite={mayWrite}
                onChanged={() => void list.reload()}
                onMore={() => setQuery({ show: String(Number(atLeast) + FIRST_DOCUMENTS) })}
              />
            )}
          </Loaded>
        </DropZone>
      )}
      <QueriedPassages chatbotId={chatbotId} />
    </Page>
  )
}

export default Knowledge
