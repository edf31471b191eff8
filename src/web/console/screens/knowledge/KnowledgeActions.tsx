import { FolderUp, Upload } from "lucide"
import { call } from "../../server/Api.ts"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { useFilePicker } from "../../parts/FilePicker.tsx"
import { chosenFiles } from "./Dropping.ts"
import { EXTENSIONS } from "./Files.ts"
import type { Uploads } from "./Uploads.ts"

interface ActionsProps {
  readonly chatbotId: string
  readonly name: string
  readonly uploads: Uploads
  readonly isEmpty: boolean
  readonly onChanged: () => void
}

export const accepted = EXTENSIONS.map((extension) => `.${extension}`).join(",")

/** The buttons to add documents and to delete them all. */
export const KnowledgeActions = ({ chatbotId, isEmpty, name, onChanged, uploads }: ActionsProps) => {
  const files = useFilePicker({
    label: "Files",
    accept: accepted,
    multiple: true,
    onFiles: (chosen) => uploads.add(chosenFiles(chosen)),
  })
  const folder = useFilePicker({
    label: "Folder",
    multiple: true,
    isFolder: true,
    onFiles: (chosen) => uploads.add(chosenFiles(chosen)),
  })
  const deleteAll = (): Promise<void> =>
    confirmed(
      {
        title: "Delete all documents?",
        text: `${name} forgets everything that it was given. This cannot be undone.`,
        action: "Delete all documents",
        typed: name,
      },
      async () => {
        const route = "DELETE /api/external/chatbot/:chatbotId/knowledge-base"
        await call(route, { params: { chatbotId }, query: { all: "true" } })
        onChanged()
      },
      "All documents are deleted.",
    )
  return (
    <>
      {files.field}
      {folder.field}
      <Button kind="primary" icon={Upload} onClick={files.open}>
        Add files
      </Button>
      <Menu
        label="More"
        items={[
          { label: "Add a folder", icon: FolderUp, onChoose: folder.open },
          !isEmpty && deleteItem(() => void deleteAll(), "Delete all …"),
        ]}
      />
    </>
  )
}
