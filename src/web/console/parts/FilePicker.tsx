import type { VNode } from "preact"
import { useRef } from "preact/hooks"

interface PickerProps {
  /** Names the field for files, which no one sees. */
  readonly label: string
  readonly accept?: string
  readonly multiple?: boolean
  /** Takes a folder with everything in it. */
  readonly isFolder?: boolean
  readonly onFiles: (files: ReadonlyArray<File>) => void
}

/** A hidden field for files, and what opens the browser's own dialog for it. */
export const useFilePicker = ({ accept, isFolder = false, label, multiple = false, onFiles }: PickerProps) => {
  const input = useRef<HTMLInputElement>(null)
  const open = (): void => {
    if (input.current === null) return
    input.current.webkitdirectory = isFolder
    input.current.click()
  }
  const field: VNode = (
    <input
      {...{ accept, multiple }}
      ref={input}
      type="file"
      class="visually-hidden"
      tabIndex={-1}
      aria-label={label}
      onChange={({ currentTarget }) => {
        onFiles(Array.from(currentTarget.files ?? []))
        currentTarget.value = ""
      }}
    />
  )
  return { field, open }
}
