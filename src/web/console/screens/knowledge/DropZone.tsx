import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { FileUp, Files } from "lucide"
import { Icon } from "../../../shared/Icon.tsx"
import { Empty } from "../../parts/Layout.tsx"
import { toastFailure } from "../../parts/Toast.ts"
import { droppedFiles } from "./Dropping.ts"
import type { Uploads } from "./Uploads.ts"

interface DropZoneProps {
  readonly uploads: Uploads
  readonly isEmpty: boolean
  readonly mayWrite: boolean
  readonly children: ComponentChildren
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true

/** Takes files and folders that are dropped anywhere on the page, and shows while they are dragged that it does. */
export const DropZone = ({ children, isEmpty, mayWrite, uploads }: DropZoneProps) => {
  const isOver = useSignal(false)
  useEffect(() => {
    if (!mayWrite) return undefined
    const enter = (event: DragEvent): void => {
      if (hasFiles(event)) isOver.value = true
    }
    const leave = ({ relatedTarget }: DragEvent): void => {
      // It leaves one element for another, until there is none.
      if (relatedTarget === null) isOver.value = false
    }
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      isOver.value = false
      droppedFiles(event.dataTransfer).then((dropped) => uploads.add(dropped), toastFailure)
    }
    const ends = new AbortController()
    addEventListener("dragenter", enter, ends)
    addEventListener("dragleave", leave, ends)
    addEventListener("dragover", over, ends)
    addEventListener("drop", drop, ends)
    return () => ends.abort()
  }, [uploads, mayWrite])
  return (
    <>
      {isEmpty ? (
        <Empty icon={Files} title={mayWrite ? "Drop files or folders here" : "No documents yet"}>
          {mayWrite && <p>PDF, Word, PowerPoint, Excel, HTML, Markdown, text, CSV and JSON, up to 25 MiB each.</p>}
        </Empty>
      ) : (
        children
      )}
      {isOver.value && (
        <div class="dropping centred" aria-hidden="true">
          <Icon nodes={FileUp} size={28} />
          Drop to add
        </div>
      )}
    </>
  )
}
