import { useSignal } from "@preact/signals"
import { Download, FileUp, FolderUp, Globe, Plus, Upload } from "lucide"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { chatbotResource } from "../../data/Chatbots.ts"
import { deleteItem, Menu, pickFiles } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { Empty, Loaded, Page, Tabs } from "../../parts/Layout.tsx"
import { bindOption, useAsked } from "../../Router.ts"
import { call } from "../../server/Api.ts"
import { listen, soon } from "../../server/Live.ts"
import { useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { afterEvent, documentList, type DocumentsWanted, withDocument } from "./Documents.ts"
import { DocumentTable } from "./DocumentTable.tsx"
import { chosenFiles, DropZone } from "./DropZone.tsx"
import { exportKnowledge, importKnowledge } from "./Archive.ts"
import { sourceItems } from "../sources/AddKnowledge.tsx"
import { sourcesOf, useRuns } from "../sources/SourceData.ts"
import { SourceTable } from "../sources/SourceTable.tsx"
import { QueriedPassages } from "./PassagesDrawer.tsx"
import { SearchTester } from "./SearchTester.tsx"
import { accept, makeUploads } from "./Uploads.ts"

/** The least time between two looks at what has changed on other pages of the list. */
const AGAIN_MILLIS = 1_000

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
  const wanted = useSignal<DocumentsWanted>({ search: "", state: "", page: 0 })
  const list = useResource(documentList(chatbotId, JSON.stringify(wanted.value)))
  const latest = useRef(list)
  latest.current = list
  // The page before stays until the next one is there.
  const known = useRef(list.data.value)
  known.current = list.data.value ?? known.current
  const sources = useResource(sourcesOf(chatbotId))
  const chatbot = useResource(chatbotResource(chatbotId)).data.value?.chatbot
  const uploads = useMemo(
    () =>
      makeUploads(chatbotId, (documents) => {
        const { data, reload, set } = latest.current
        const before = data.peek()
        if (before === undefined || documents.length === 0) void reload()
        else set(documents.reduce(withDocument, before))
      }),
    [chatbotId],
  )
  useEffect(() => {
    const again = soon(list.reload, AGAIN_MILLIS)
    return listen(chatbotId, (event) => {
      const before = list.data.peek()
      const next = before === undefined ? undefined : afterEvent(before, event)
      if (next === undefined) return void list.reload()
      if (next === before) return
      if (!list.isLoading.peek()) list.set(next)
      again()
    })
  }, [chatbotId, list])
  useRuns(chatbotId, sources.reload)
  const isEmpty = known.current?.total === 0 && uploads.all.value.length === 0 && !sources.data.value?.length
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
              !isEmpty && {
                label: "Export",
                icon: Download,
                onChoose: () => exportKnowledge(chatbotId, chatbot?.name ?? "Knowledge"),
              },
              mayWrite &&
                !isEmpty &&
                deleteItem(
                  () => void deleteAll(chatbotId, chatbot?.name ?? "").then(list.reload),
                  "Delete all documents…",
                ),
            ]}
          />
        </>
      }
    >
      {!isEmpty && <Tabs label="View" {...view} options={views} />}
      {view.value === "search" && !isEmpty && <SearchTester chatbotId={chatbotId} />}
      {view.value === "sources" && !isEmpty && (
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
      {(view.value === "documents" || isEmpty) && (
        <DropZone uploads={uploads} isEmpty={isEmpty} mayWrite={mayWrite}>
          <Loaded of={{ ...list, data: { value: known.current } }}>
            {(data) => (
              <DocumentTable
                chatbotId={chatbotId}
                list={data}
                wanted={wanted}
                sources={sources.data.value ?? []}
                uploads={uploads}
                mayWrite={mayWrite}
                onChanged={() => void list.reload()}
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
