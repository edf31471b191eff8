import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from "@preact/signals"
import type { WidgetConfig, WidgetSource } from "../../../domain/widget/Widget.ts"
import type { ToFrame } from "../../shared/Bridge.ts"
import { localized, type Language } from "../languages/Language.ts"
import { Chat } from "./Chat.ts"
import { Client } from "./Client.ts"
import { Conversations } from "./Conversations.ts"
import type { Reply } from "./Entries.ts"
import { report, type Host } from "./Host.ts"

/** The passages of one document that a reply rests on, which are opened. */
export interface OpenSources {
  readonly reply: Reply
  readonly sources: readonly [WidgetSource, ...ReadonlyArray<WidgetSource>]
}

/** Everything that the widget knows, and what it does when the page tells it something. */
export class Widget {
  readonly host: Host
  readonly given: Signal<WidgetConfig>
  /** The configuration with its texts in the visitor's language. */
  readonly config: ReadonlySignal<WidgetConfig>
  readonly language: Signal<Language>
  readonly chat: Chat
  readonly conversations: Conversations
  readonly isSeen: Signal<boolean>
  readonly areConversationsOpen = signal(false)
  readonly openSources = signal<OpenSources | undefined>(undefined)
  /** Counts up whenever the composer is to take the focus. */
  readonly focusRequests = signal(0)
  readonly #isVisible = signal(!document.hidden)
  /** The replies of the chatbot that came while the chat was closed. */
  readonly #unread = signal(0)

  constructor(host: Host, config: WidgetConfig, language: Language) {
    this.host = host
    this.given = signal(config)
    this.language = signal(language)
    this.config = computed(() => localized(this.given.value, this.language.value))
    this.isSeen = signal(host.mode !== "popup")
    // The scripts lie at assets/<hash>/, wherever a proxy has put Parley.
    const root = new URL("../../", import.meta.url).href
    const client = new Client({ root, key: config.key, secret: () => host.state.value?.secret })
    this.chat = new Chat(host, client, () => this.config.value)
    this.conversations = new Conversations(host, this.chat)
    this.chat.onReply = (reply) => {
      report(host, "reply", { id: reply.id.value })
      if (!this.isSeen.value) this.#unread.value += 1
    }
  }

  /** Begins to listen to the page, and opens what was open last. */
  start(): void {
    if (this.host.mode === "preview") return
    this.host.listen((message) => this.#hear(message))
    window.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return
      if (document.querySelector("dialog[open]") === null) this.close()
    })
    document.addEventListener("visibilitychange", () => {
      this.#isVisible.value = !document.hidden
      if (!document.hidden) void this.chat.refresh()
    })
    window.addEventListener("online", () => void this.chat.reconnect())
    if (this.host.state.value !== undefined) void this.chat.restore()
    this.host.tell({ type: "ready" })
    this.#attend()
  }

  /** Keeps up with people: what they write is seen, counted or waited for. */
  #attend(): void {
    const { chat, host } = this
    const { people } = chat
    const hasPeople = computed(() => host.state.value?.people === true)
    const isRead = computed(() => this.isSeen.value && this.#isVisible.value)
    people.follow(() =>
      isRead.value || (this.#isVisible.value && hasPeople.value) ? chat.conversation.value : undefined,
    )
    effect(() => {
      const { value: handover } = people.handover
      const isWaitedFor = handover !== null && (handover.owner === "people" || handover.unread > 0)
      if (chat.isLoading.value || chat.failure.value !== undefined || isWaitedFor === hasPeople.peek()) return
      untracked(() => chat.keep({ people: isWaitedFor ? true : undefined }))
    })
    effect(() => {
      const count = this.#unread.value + (people.handover.value?.unread ?? 0)
      this.host.tell({ type: "unread", count: this.isSeen.value ? 0 : count })
    })
    effect(() => {
      const last = chat.entries.value.findLast((entry) => entry.kind === "reply" && entry.sender !== undefined)
      const readTo = last?.kind === "reply" ? last.createdAt : undefined
      if (isRead.value && (people.handover.value?.unread ?? 0) > 0 && readTo !== undefined)
        people.tellRead(chat.conversation.value, readTo)
    })
  }

  /** Asks the page to close the widget, where it can be closed. */
  close(): void {
    if (this.host.mode === "popup") this.host.tell({ type: "close" })
  }

  #hear(message: ToFrame): void {
    switch (message.type) {
      case "opened":
        this.isSeen.value = true
        this.#unread.value = 0
        if (message.takesFocus) this.focusRequests.value += 1
        return void this.chat.refresh()
      case "closed":
        this.isSeen.value = false
        return
      case "ask":
        return void this.chat.send(message.text)
      case "identify":
        return void this.#identify(message.jwt)
      case "reset":
        this.chat.client.reset()
        this.host.keep(undefined)
        this.chat.forget()
        this.conversations.list.value = undefined
        this.areConversationsOpen.value = false
        return
      case "state":
        // Another tab has forgotten the visitor, begun to be one, or said something.
        if (this.host.state.value === undefined) return this.chat.forget()
        if (this.chat.entries.value.length === 0) return void this.chat.restore()
        return void this.chat.refresh()
      default:
        return
    }
  }

  async #identify(jwt: string): Promise<void> {
    try {
      const visitor = await this.chat.client.identify(jwt)
      this.chat.forgetEmail()
      report(this.host, "identified", { visitor: visitor.id })
      if (this.chat.entries.value.length === 0) await this.chat.restore()
    } catch {
      // The page is told; the visitor cannot help it, and talks on as before.
      report(this.host, "error", { kind: "identity" })
    }
  }
}
