import { signal } from "@preact/signals"
import { FileText, Paperclip, X } from "lucide"
import type { VNode } from "preact"
import { useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"
import { randomUuid } from "./Random.ts"

/** A file of a message. */
export interface SentFile {
  readonly name: string
  readonly url: string
}

/** A file that was uploaded, and is not sent. */
export interface UploadedFile extends SentFile {
  readonly id: string
}

/** A file that is chosen for a message: on its way, uploaded, or refused for a reason. */
interface Choice {
  readonly key: string
  readonly name: string
  readonly uploaded?: UploadedFile
  readonly failure?: string
}

const MAX_COUNT = 10

/** The files that are chosen for the next message. They are uploaded at once, and sent by their ids. */
export class Uploads {
  readonly choices = signal<ReadonlyArray<Choice>>([])
  readonly #upload: (form: FormData) => Promise<UploadedFile>
  readonly #explain: (error: unknown) => string

  /** @param explain says in words why a file could not be uploaded */
  constructor(upload: (form: FormData) => Promise<UploadedFile>, explain: (error: unknown) => string) {
    this.#upload = upload
    this.#explain = explain
  }

  /** Whether there are files, and all of them are uploaded. */
  get areReady(): boolean {
    return this.choices.value.length > 0 && this.choices.value.every(({ uploaded }) => uploaded !== undefined)
  }

  /** Whether a message would have to wait for a file, or leave one out. */
  get areWaiting(): boolean {
    return this.choices.value.length > 0 && !this.areReady
  }

  add(files: Iterable<File>): void {
    for (const file of Array.from(files).slice(0, MAX_COUNT - this.choices.value.length)) void this.#add(file)
  }

  async #add(file: File): Promise<void> {
    const choice: Choice = { key: randomUuid(), name: file.name }
    this.choices.value = [...this.choices.value, choice]
    const form = new FormData()
    form.set("file", file)
    const ended = await this.#upload(form).then(
      (uploaded): Choice => ({ ...choice, uploaded }),
      (error): Choice => ({ ...choice, failure: this.#explain(error) }),
    )
    this.choices.value = this.choices.value.map((other) => (other.key === choice.key ? ended : other))
  }

  remove(key: string): void {
    this.choices.value = this.choices.value.filter((choice) => choice.key !== key)
  }

  get uploaded(): ReadonlyArray<UploadedFile> {
    return this.choices.value.flatMap(({ uploaded }) => uploaded ?? [])
  }

  /** Returns the uploaded files, and forgets all. */
  take(): ReadonlyArray<UploadedFile> {
    const taken = this.uploaded
    this.choices.value = []
    return taken
  }
}

/** The handlers of an element that takes files which are pasted or dropped. */
export const takingFiles = (uploads: Uploads | undefined) => {
  const take = (event: Event, files: FileList | undefined) => {
    if (uploads === undefined || files === undefined || files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }
  return {
    onPaste: (event: ClipboardEvent) => take(event, event.clipboardData?.files),
    onDrop: (event: DragEvent) => take(event, event.dataTransfer?.files),
    onDragOver: (event: DragEvent) => {
      if (uploads !== undefined && event.dataTransfer?.types.includes("Files")) event.preventDefault()
    },
  }
}

/** The button that chooses files. */
export const AttachButton = ({ label, uploads }: { readonly label: string; readonly uploads: Uploads }): VNode => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/png,image/jpeg,image/gif,image/webp,application/pdf"
        onChange={({ currentTarget }) => {
          uploads.add(currentTarget.files ?? [])
          // The same file may be chosen again.
          currentTarget.value = ""
        }}
      />
      <button type="button" class="icon-button" title={label} onClick={() => input.current?.click()}>
        <Icon nodes={Paperclip} />
        <span class="visually-hidden">{label}</span>
      </button>
    </>
  )
}

/** The server's path of a file below this root: others may know the server by another address. */
const pathOf = (url: string, root: string): string => root + url.slice(url.indexOf("/api/attachments/") + 1)

const isImage = (name: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(name)

const Picture = ({ file: { name, url }, root }: { readonly file: SentFile; readonly root: string }): VNode =>
  isImage(name) ? (
    <img src={pathOf(url, root)} alt={name} loading="lazy" />
  ) : (
    <>
      <Icon nodes={FileText} size={16} /> <bdi>{name}</bdi>
    </>
  )

interface ChosenProps {
  readonly uploads: Uploads
  readonly root: string
  readonly texts: { readonly loading: string; readonly remove: string }
}

/** The chosen files, each with a preview or its state, and a button that removes it. */
export const Chosen = ({ root, texts, uploads }: ChosenProps): VNode | null =>
  uploads.choices.value.length === 0 ? null : (
    <ul class="attached chosen" aria-live="polite">
      {uploads.choices.value.map(({ failure, key, name, uploaded }) => (
        <li key={key}>
          {uploaded === undefined ? (
            <span class={failure === undefined ? "note" : "failure"}>
              <bdi>{name}</bdi>: {failure ?? texts.loading}
            </span>
          ) : (
            <Picture file={uploaded} root={root} />
          )}
          <button type="button" class="icon-button" title={texts.remove} onClick={() => uploads.remove(key)}>
            <Icon nodes={X} size={16} />
            <span class="visually-hidden">
              {texts.remove}: {name}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )

/** The files of a message: images as they are, and PDFs as links. */
export const Attached = ({
  files,
  root,
}: {
  readonly files: ReadonlyArray<SentFile> | null | undefined
  readonly root: string
}): VNode | null =>
  files == null || files.length === 0 ? null : (
    <ul class="attached">
      {files.map((file) => (
        <li key={file.url}>
          <a href={pathOf(file.url, root)} target="_blank" rel="noopener noreferrer">
            <Picture file={file} root={root} />
          </a>
        </li>
      ))}
    </ul>
  )
