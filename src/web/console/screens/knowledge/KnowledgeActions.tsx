import { useRef } from "preact/hooks"
import ellipsis from "icon:ellipsis"
import folderUp from "icon:folder-up"
import trash from "icon:trash"
import upload from "icon:upload"
import { Icon } from "../../../shared/Icon.tsx"
import { call } from "../../Api.ts"
import { Button } from "../../parts/Button.tsx"
import { confirm } from "../../parts/Confirm.tsx"
import { Menu } from "../../parts/Menu.tsx"
import { toast, toastFailure } from "../../parts/Toast.tsx"
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
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const deleteAll = async (): Promise<void> => {
    const sure = await confirm({
      title: "Delete all documents?",
      text: <p>{name} forgets everything that it was given. This cannot be undone.</p>,
      action: "Delete all documents",
      typed: name,
      isDangerous: true,
    })
    if (!sure) return
    try {
      const route = "DELETE /api/external/chatbot/:chatbotId/knowledge-base"
      await call(route, { params: { chatbotId }, query: { all: "true" } })
      toast("All documents are deleted.")
    } catch (error) {
      toastFailure(error)
    }
    onChanged()
  }
  return (
    <>
      <input
        ref={files}
        type="file"
        multiple
        accept={accepted}
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Files"
        onChange={({ currentTarget }) => {
          uploads.add(chosenFiles(currentTarget.files))
          currentTarget.value = ""
        }}
      />
      <input
        ref={folder}
        type="file"
        multiple
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Folder"
        onChange={({ currentTarget }) => {
          uploads.add(chosenFiles(currentTarget.files))
          currentTarget.value = ""
        }}
      />
      <Button kind="primary" icon={upload} onClick={() => files.current?.click()}>
        Add files
      </Button>
      <Menu
        label="More"
        items={[
          {
            label: "Add a folder",
            icon: folderUp,
            onChoose: () => {
              if (folder.current === null) return
              folder.current.webkitdirectory = true
              folder.current.click()
            },
          },
          !isEmpty && {
            label: "Delete all …",
            icon: trash,
            isDangerous: true,
            onChoose: () => void deleteAll(),
          },
        ]}
      >
        <Icon nodes={ellipsis} size={18} />
      </Menu>
    </>
  )
}
