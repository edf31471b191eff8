import { useSignal } from "@preact/signals"
import { Files, FileUp } from "lucide"
import type { ComponentChildren } from "preact"
import { Icon } from "../../../shared/Icon.tsx"
import { Empty } from "../../parts/Layout.tsx"
import { useWindowEvent } from "../../parts/Shortcuts.ts"
import { toastFailure } from "../../parts/Toast.ts"
import type { Uploads } from "./Uploads.ts"

/** Files that systems and editors keep for themselves. */
const isOwn = (name: string): boolean => name.startsWith(".") || name === "Thumbs.db" || name === "desktop.ini"

const MOST_FILES = 2_000

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

const entriesOf = (reader: FileSystemDirectoryReader): Promise<ReadonlyArray<FileSystemEntry>> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject))

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const collect = async (entry: FileSystemEntry, into: Array<File>): Promise<void> => {
  if (into.length >= MOST_FILES || isOwn(entry.name)) return
  if (isFile(entry)) into.push(await fileOf(entry))
  if (!isDirectory(entry)) return
  const reader = entry.createReader()
  // A reader hands out a part of the entries at a time, and none at the end.
  for (let part = await entriesOf(reader); part.length > 0; part = await entriesOf(reader))
    for (const inner of part) await collect(inner, into)
}

/** The files that were dropped, also those within folders. */
const droppedFiles = async ({ files, items }: DataTransfer): Promise<ReadonlyArray<File>> => {
  // Both lists are gone once the event is over.
  const plain = Array.from(files)
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return plain.filter(({ name }) => !isOwn(name))
  const found: Array<File> = []
  for (const entry of entries) await collect(entry, found)
  return found
}

/** The files of a folder that was chosen, without those that systems keep for themselves. */
export const chosenFiles = (files: ReadonlyArray<File>): ReadonlyArray<File> =>
  files
    .filter(({ name, webkitRelativePath }) => !isOwn(name) && !webkitRelativePath.split("/").some(isOwn))
    .slice(0, MOST_FILES)

interface DropZoneProps {
  readonly uploads: Uploads
  readonly isEmpty: boolean
  readonly mayWrite: boolean
  readonly children: ComponentChildren
}

/** Takes files and folders that are dropped anywhere on the page, and shows while they are dragged that it does. */
export const DropZone = ({ children, isEmpty, mayWrite, uploads }: DropZoneProps) => {
  const isOver = useSignal(false)
  const takes = ({ dataTransfer }: DragEvent): boolean => mayWrite && dataTransfer?.types.includes("Files") === true
  useWindowEvent("dragenter", (event) => {
    if (takes(event)) isOver.value = true
  })
  useWindowEvent("dragleave", ({ relatedTarget }) => {
    // It leaves one element for another, until there is none.
    if (relatedTarget === null) isOver.value = false
  })
  useWindowEvent("dragover", (event) => {
    if (takes(event)) event.preventDefault()
  })
  useWindowEvent("drop", (event) => {
    if (!takes(event) || event.dataTransfer === null) return
    event.preventDefault()
    isOver.value = false
    droppedFiles(event.dataTransfer).then((dropped) => uploads.add(dropped), toastFailure)
  })
  return (
    <>
      {isEmpty ? (
        <Empty icon={Files} title={mayWrite ? "Drop files or folders here" : "No documents yet"}>
          {mayWrite && (
            <p>
              PDF, Office, e-books, mail, web pages, scans, data and text, up to 25 MiB each. Or add a website, a text,
              or questions with their answers.
            </p>
          )}
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
