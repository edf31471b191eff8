import { FolderUp, Upload } from "lucide"
import { call } from "../../server/Api.ts"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { pickFiles } from "../../parts/FilePicker.ts"
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
  const add = (chosen: ReadonlyArray<File>): void => uploads.add(chosenFiles(chosen))
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
      <Button kind="primary" icon={Upload} onClick={() => pickFiles({ accept: accepted, multiple: true }, add)}>
        Add files
      </Button>
      <Menu
        label="More"
        items={[
          { label: "Add a folder", icon: FolderUp, onChoose: () => pickFiles({ webkitdirectory: true }, add) },
          !isEmpty && deleteItem(() => void deleteAll(), "Delete all …"),
        ]}
      />
    </>
  )
}
