import { signal } from "@preact/signals"
import type { SessionId } from "../../../domain/Ids.ts"
import type { WidgetConversation } from "../../../domain/widget/Widget.ts"
import { saveFile } from "../../shared/Download.ts"
import type { Chat } from "./Chat.ts"
import type { Host } from "./Host.ts"

const PAGE_SIZE = 30

/** The conversations of the visitor: listed, taken home and deleted. */
export class Conversations {
  readonly list = signal<ReadonlyArray<WidgetConversation> | undefined>(undefined)
  readonly next = signal<string | undefined>(undefined)
  readonly #chat: Chat
  readonly #host: Host

  constructor(host: Host, chat: Chat) {
    this.#host = host
    this.#chat = chat
  }

  /** Reads the conversations with the newest activity; `isMore` reads those that follow. */
  async load(isMore = false): Promise<void> {
    const cursor = isMore ? this.next.value : undefined
    const query = `limit=${PAGE_SIZE}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    await this.#chat.attempt(async () => {
      const page = await this.#chat.client.json<{
        readonly conversations: ReadonlyArray<WidgetConversation>
        readonly next_cursor?: string | null
      }>("GET", `conversations?${query}`)
      // Somebody has clicked twice, or the list was read again.
      if (isMore && cursor !== this.next.value) return
      this.list.value = [...(isMore ? (this.list.value ?? []) : []), ...page.conversations]
      this.next.value = page.next_cursor ?? undefined
    })
  }

  async remove(id: SessionId): Promise<void> {
    await this.#chat.attempt(async () => {
      await this.#chat.client.send("DELETE", `conversations/${id}`)
      this.list.value = this.list.value?.filter((conversation) => conversation.id !== id)
      if (this.#chat.conversation.value === id) this.#chat.startNew()
    })
  }

  async removeAll(): Promise<void> {
    await this.#chat.attempt(async () => {
      await this.#chat.client.send("DELETE", "conversations")
      this.list.value = []
      this.next.value = undefined
      this.#chat.forget()
      this.#host.keep(undefined)
      this.#chat.client.renew()
    })
  }

  async download(id: SessionId): Promise<void> {
    await this.#chat.attempt(async () => {
      const response = await this.#chat.client.send("GET", `conversations/${id}/transcript?format=markdown`)
      saveFile(`conversation-${id}.md`, await response.blob())
    })
  }
}
