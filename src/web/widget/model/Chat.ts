import { effect, signal, untracked } from "@preact/signals"
import type { AttachmentId } from "../../../domain/chat/Attachment.ts"
import type { MessageId, SessionId } from "../../../domain/Ids.ts"
import type {
  WidgetChatRequest,
  WidgetConfig,
  WidgetEvent,
  WidgetHandover,
  WidgetMessage,
} from "../../../domain/widget/Widget.ts"
import type { UploadedFile } from "../../shared/Attachments.tsx"
import type { StoredState } from "../../shared/Bridge.ts"
import { randomSecret, randomUuid } from "../../shared/Random.ts"
import type { Client } from "./Client.ts"
import { type Entry, entryOf, Question, Reply, type Rating, shows } from "./Entries.ts"
import { Failure, failureFrom } from "./Failure.ts"
import { follow } from "./Following.ts"
import { report, type Host } from "./Host.ts"
import { People } from "./People.ts"

const PAGE_SIZE = 40
/** A reply that another process of the server writes is looked for this often. */
const STORED_TRIES = 15
const STORED_WAIT_MILLIS = 2_000

interface MessagesPage {
  readonly messages: ReadonlyArray<WidgetMessage>
  readonly next_cursor?: string | null
  readonly reply?: { readonly id: MessageId }
  readonly handover: WidgetHandover | null
}

/** The conversation that is open: what was said, and what is being said. */
export class Chat {
  readonly entries = signal<ReadonlyArray<Entry>>([])
  readonly conversation = signal<SessionId | undefined>(undefined)
  readonly current = signal<Reply | undefined>(undefined)
  readonly isLoading = signal(false)
  readonly earlier = signal<string | undefined>(undefined)
  readonly isConnectionLost = signal(false)
  /** Failure of the visitor's last action. */
  readonly failure = signal<Failure | undefined>(undefined)
  /** The chatbot, or the permission to talk with it, is gone: nothing can be sent any more. */
  readonly isGone = signal(false)
  /** Takes the visitor's e-mail address, where the chatbot waits for it; an empty text declines. */
  readonly emailRequest = signal<((email: string) => void) | undefined>(undefined)
  /** Reply that a screen reader is told of, once it is finished. */
  readonly announced = signal<Reply | undefined>(undefined)
  /** Shows the end of the conversation. */
  onSend: () => void = () => undefined
  onReply: (reply: Reply) => void = () => undefined

  readonly #host: Host
  readonly #config: () => WidgetConfig
  readonly client: Client
  readonly people: People
  #email: string | undefined
  /** Changes when another conversation is opened, so that what still arrives for the last one is dropped. */
  #generation = 0
  #wantsStop = false
  /** Whether something may be stored of the open conversation that was not read yet. */
  #isBehind = false

  constructor(host: Host, client: Client, config: () => WidgetConfig) {
    this.#host = host
    this.client = client
    this.#config = config
    this.people = new People(client)
    this.people.onMessage = (message) => this.#receive(message)
    this.people.onHandover = () => void this.#answerLeft()
    this.people.onResync = () => void this.refresh()
    effect(() => {
      const isIdle = !this.isLoading.value && this.current.value === undefined
      if (isIdle && this.#isBehind) untracked(() => void this.refresh())
    })
  }

  /** Keeps something of the visitor, where there is a visitor: from the first message on. */
  keep(changes: { readonly [K in keyof StoredState]?: StoredState[K] | undefined }): void {
    const before = this.#host.state.value
    const { secret = changes.secret, ...kept } = { ...before, ...changes }
    if (secret === undefined) return
    const entries = Object.entries(kept).filter(([, value]) => value !== undefined && value !== "")
    this.#host.keep({ ...Object.fromEntries(entries), secret })
  }

  /** Opens the conversation that was open last, and sends what was not sent. */
  async restore(): Promise<void> {
    const { conversation, unsent } = this.#host.state.value ?? {}
    if (conversation !== undefined) await this.open(conversation as SessionId)
    if (unsent === undefined || unsent.conversation !== this.conversation.value) return
    const known = this.entries.value.find(({ key }) => key === unsent.id)
    const last = this.entries.value.at(-1)
    if (known !== undefined && known !== last) return this.keep({ unsent: undefined })
    if (known instanceof Question) return this.#ask(known)
    const question = new Question(unsent.text, unsent.id, undefined, unsent.files)
    this.entries.value = [...this.entries.value, question]
    await this.#ask(question)
  }

  async open(conversation: SessionId): Promise<void> {
    this.#clear()
    const generation = this.#generation
    this.isLoading.value = true
    this.conversation.value = conversation
    try {
      const page = await this.#read()
      if (generation !== this.#generation) return
      this.keep({ conversation })
      this.#show(page)
      void this.#answerLeft()
    } catch (error) {
      if (generation !== this.#generation) return
      const failure = failureFrom(error)
      if (failure.kind !== "missing") return this.#refuse(failure)
      // It was deleted, here or elsewhere.
      this.conversation.value = undefined
      this.keep({ conversation: undefined })
    } finally {
      if (generation === this.#generation) this.isLoading.value = false
    }
  }

  /** Reads again what people or another tab may have added, as soon as nothing happens here. */
  async refresh(): Promise<void> {
    const generation = this.#generation
    if (this.conversation.value === undefined) return
    this.#isBehind = true
    if (this.isLoading.value || this.current.value !== undefined) return
    const page = await this.#read().catch(() => undefined)
    if (page === undefined || generation !== this.#generation || this.current.value !== undefined) return
    this.#isBehind = false
    const { value: entries } = this.entries
    const areKnown = page.messages.map((message) => this.#known(message) !== undefined)
    const unsent = entries.filter(
      (entry) => entry instanceof Question && entry.failure.value && !page.messages.some((one) => shows(entry, one)),
    )
    if (page.reply !== undefined || areKnown.includes(false)) this.#show(page, unsent)
    void this.#answerLeft()
  }

  /** Asks for a person: at once in a conversation that goes on, or else by what the visitor writes next. */
  async askForPerson(): Promise<void> {
    const { people } = this
    const isOpen = await people.areIn().catch(() => undefined)
    if (!(isOpen ?? this.#config().handover?.is_open)) {
      // The form stands below the conversation, which the visitor may have left for what was said earlier.
      this.onSend()
      people.wish.value = "form"
    } else if (this.conversation.value === undefined) people.wish.value = "message"
    else await this.attempt(() => this.#handOver({}))
  }

  async loadEarlier(): Promise<void> {
    const { value: cursor } = this.earlier
    const page = await this.attempt(() => this.#read(cursor))
    // Somebody has clicked twice, another conversation was opened, or this one was read again.
    if (page === undefined || cursor === undefined || cursor !== this.earlier.value) return
    this.entries.value = [...page.messages.map(entryOf), ...this.entries.value]
    this.earlier.value = page.next_cursor ?? undefined
  }

  /** Begins a new conversation; what is being written in the open one is stored without this widget. */
  startNew(): void {
    this.#clear()
    this.keep({ conversation: undefined, unsent: undefined })
  }

  /** Forgets the visitor: what it said here, and its e-mail address. */
  forget(): void {
    this.startNew()
    this.forgetEmail()
  }

  /** Asks for the e-mail address again, as of another visitor. */
  forgetEmail(): void {
    this.#email = undefined
  }

  /** @param email where the visitor is answered when nobody is there */
  async send(text: string, email?: string, files?: Question["files"]): Promise<void> {
    if (this.current.value !== undefined) return
    this.#email = email ?? this.#email
    const question = new Question(text, undefined, undefined, files)
    this.entries.value = [...this.entries.value, question]
    this.onSend()
    report(this.#host, "message", { id: question.key })
    await this.#ask(question)
  }

  /** Uploads a file for the next message, as the visitor who will send it. */
  async upload(form: FormData): Promise<UploadedFile> {
    this.becomeVisitor()
    return (await this.client.json<{ attachment: UploadedFile }>("POST", "attachments", form)).attachment
  }

  /** Makes the secret of a visitor who has sent nothing yet. */
  becomeVisitor(): void {
    if (this.#host.state.value !== undefined) return
    this.keep({ secret: randomSecret() })
    this.client.renew()
  }

  /** Goes on in a conversation that the visitor has begun. */
  enter(conversation: SessionId): void {
    this.conversation.value = conversation
    this.keep({ conversation, unsent: undefined })
  }

  /** Sends a message again that was not sent, or that has no reply. */
  async retry(question: Question): Promise<void> {
    if (this.current.value === undefined) await this.#ask(question)
  }

  /** Sends the message again that could not be sent without a connection, or reads what could not be read. */
  async reconnect(): Promise<void> {
    const question = this.entries.value.at(-1)
    if (question instanceof Question && question.failure.value?.kind === "offline") await this.retry(question)
    else if (this.failure.value?.kind === "offline") await this.restore()
  }

  async regenerate(reply: Reply): Promise<void> {
    const { value: entries } = this.entries
    const id = reply.id.value
    const question = entries.slice(0, entries.indexOf(reply)).findLast((entry) => entry instanceof Question)
    if (this.current.value !== undefined || question === undefined) return
    // A message that has no reply yet is answered when it comes once more; a reply that is there is made again.
    if (id === undefined || reply.failure.value !== undefined || reply.text === "") return this.#ask(question)
    const again = new Reply()
    this.failure.value = undefined
    this.entries.value = entries.map((entry) => (entry === reply ? again : entry))
    const failure = await this.#write(again, { message: { id: randomUuid(), text: question.text }, regenerates: id })
    if (failure === undefined || again.id.value !== undefined) return
    this.entries.value = this.entries.value.map((entry) => (entry === again ? reply : entry))
    // Nothing is stored of the reply, so that its question is answered for the first time.
    if (failure.code === "conflict" || failure.kind === "missing") return this.#ask(question)
    this.#refuse(failure)
  }

  /** Has the chatbot, which has the conversation again, answer the visitor's last message, where nobody has. */
  async #answerLeft(): Promise<void> {
    const { value: entries } = this.entries
    const regenerates = this.people.handover.value?.unanswered
    const question = entries.at(-1)
    if (regenerates == null || this.current.value !== undefined || this.#host.state.value?.unsent !== undefined) return
    if (!(question instanceof Question) || question.sentAt.value === undefined) return
    const reply = new Reply()
    this.entries.value = [...entries, reply]
    // By the same id from every tab, so that it is answered once.
    await this.#write(reply, { message: { id: question.key, text: question.text }, regenerates })
    // Somebody has answered it meanwhile.
    if (reply.id.value === undefined) this.entries.value = this.entries.value.filter((entry) => entry !== reply)
  }

  /** Stops the reply that is being written. What there is of it stays. */
  async stop(): Promise<void> {
    const id = this.current.value?.id.value
    this.#wantsStop = true
    // Without an id it is stopped as soon as it has one.
    if (id !== undefined) await this.client.send("DELETE", `chat/${id}`).catch(() => undefined)
  }

  /** Rates a reply; `undefined` takes the rating back. */
  async rate(reply: Reply, rating: Rating | undefined): Promise<boolean> {
    const before = reply.rating.value
    reply.rating.value = rating
    const path = `conversations/${this.conversation.value}/messages/${reply.id.value}/feedback`
    const body = rating === undefined ? { rating: null } : rating
    const done = await this.attempt(() => this.client.send("POST", path, body))
    if (done === undefined) reply.rating.value = before
    return done !== undefined
  }

  /** Does something that the visitor wants. Its failure is shown, unless another conversation was opened meanwhile. */
  async attempt<A>(work: () => Promise<A>): Promise<A | undefined> {
    const generation = this.#generation
    try {
      this.failure.value = undefined
      return await work()
    } catch (error) {
      if (generation === this.#generation) this.#refuse(failureFrom(error))
      return undefined
    }
  }

  #refuse(failure: Failure): void {
    this.failure.value = failure
    if (failure.kind === "gone") this.isGone.value = true
    report(this.#host, "error", { kind: failure.kind })
  }

  #clear(): void {
    this.#generation += 1
    this.#wantsStop = false
    this.#isBehind = false
    this.entries.value = []
    this.current.value = undefined
    this.conversation.value = undefined
    this.earlier.value = undefined
    this.failure.value = undefined
    this.isLoading.value = false
    this.isConnectionLost.value = false
    this.emailRequest.value = undefined
    this.people.clear()
  }

  async #read(cursor?: string): Promise<MessagesPage> {
    const generation = this.#generation
    const query = `limit=${PAGE_SIZE}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    const path = `conversations/${this.conversation.value}/messages?${query}`
    const page = await this.client.json<MessagesPage>("GET", path)
    if (generation === this.#generation) this.people.handover.value = page.handover
    return page
  }

  /** The entry that shows a stored message already. */
  #known(message: WidgetMessage): Entry | undefined {
    const known = this.entries.value.find((entry) => shows(entry, message))
    if (known instanceof Question) known.sentAt.value = message.created_at
    return known
  }

  /** Shows a message that was stored here or elsewhere. */
  #receive(message: WidgetMessage): void {
    if (this.#known(message) !== undefined) return
    // Another tab has made it, and maybe in the place of another.
    if (message.role === "assistant") return void this.refresh()
    const entry = entryOf(message)
    this.entries.value = [...this.entries.value, entry]
    if (entry instanceof Reply) this.announced.value = entry
  }

  /** Hands the conversation over to people, or begins one with them. */
  async #handOver(request: Pick<WidgetChatRequest, "email"> & Partial<Pick<WidgetChatRequest, "message">>) {
    const { value: conversation } = this.conversation
    const page = this.#host.page()
    const { id } = await this.people.handOver({
      ...(conversation === undefined ? {} : { conversation_id: conversation }),
      ...request,
      ...(page === undefined ? {} : { page }),
    })
    this.enter(id)
  }

  #show({ messages, next_cursor, reply }: MessagesPage, unsent: ReadonlyArray<Entry> = []): void {
    const stored = messages
      .filter(({ id }) => id !== reply?.id)
      .map((message) => {
        const known = this.#known(message)
        // What is stored does not say that it was stopped, and did not break off.
        return known instanceof Reply && known.phase.value === "stopped" ? known : entryOf(message)
      })
    const entries = [...stored, ...unsent]
    this.earlier.value = next_cursor ?? undefined
    this.entries.value = entries
    if (reply === undefined) return
    const written = new Reply()
    written.id.value = reply.id
    this.entries.value = [...entries, written]
    void this.#write(written)
  }

  async #ask(question: Question): Promise<void> {
    const { files, text } = question
    const generation = this.#generation
    const { value: conversation } = this.conversation
    question.failure.value = undefined
    this.failure.value = undefined
    this.keep({
      secret: this.#host.state.value?.secret ?? randomSecret(),
      unsent: {
        id: question.key,
        text,
        ...(files.length > 0 && { files }),
        ...(conversation === undefined ? {} : { conversation }),
      },
    })
    const attachments = files.flatMap(({ id }) => (id === undefined ? [] : [id as AttachmentId]))
    const message = { id: question.key, text, ...(attachments.length > 0 && { attachments }) }
    const reply = new Reply()
    this.current.value = reply
    const isForPeople = this.people.wish.value !== undefined
    const email = isForPeople ? this.#email : await this.#emailFor(conversation).catch(failureFrom)
    if (generation !== this.#generation) return
    const { value: entries } = this.entries
    // People have not begun to write yet.
    if (!isForPeople && !this.people.areThere)
      this.entries.value = [...entries.slice(0, entries.indexOf(question) + 1), reply]
    const request = { message, ...(typeof email === "string" && { email }) }
    const failure =
      email instanceof Failure
        ? email
        : isForPeople
          ? await this.#handOver(request).catch(failureFrom)
          : await this.#write(reply, request)
    if (generation !== this.#generation) return
    if (isForPeople || email instanceof Failure) this.current.value = undefined
    if (failure === undefined || reply.id.value !== undefined) return
    // The message stays where it is, with what was wrong below it.
    this.entries.value = this.entries.value.filter((entry) => entry !== reply)
    question.failure.value = failure
    if (failure.kind === "gone") this.isGone.value = true
    report(this.#host, "error", { kind: failure.kind })
  }

  /** Returns the address to send with the first message of a conversation, where the chatbot asks for one. */
  async #emailFor(conversation: SessionId | undefined): Promise<string | undefined> {
    if (!this.#config().is_email_requested || conversation !== undefined) return undefined
    if (this.#email !== undefined) return this.#email
    if ((await this.client.visitor()).email !== undefined) return undefined
    this.#email = await new Promise<string>((resolve) => (this.emailRequest.value = resolve))
    this.emailRequest.value = undefined
    return this.#email
  }

  /** Has a reply written to its end. Returns why it could not be. */
  async #write(reply: Reply, request?: Omit<WidgetChatRequest, "conversation_id">): Promise<Failure | undefined> {
    const generation = this.#generation
    const isOpen = () => generation === this.#generation
    const { value: conversation } = this.conversation
    const page = this.#host.page()
    this.current.value = reply
    this.#wantsStop = false
    let failure: Failure | undefined
    try {
      await follow({
        client: this.client,
        reply,
        begin: () => this.client.send("POST", "chat", { conversation_id: conversation, ...request, page }),
        onEvent: (event) => isOpen() && this.#onEvent(event, reply),
        onLost: (isLost) => isOpen() && (this.isConnectionLost.value = isLost),
      })
    } catch (error) {
      failure = failureFrom(error)
    }
    if (isOpen() && !reply.isOver && reply.id.value !== undefined) failure = await this.#findStored(reply, isOpen)
    if (!isOpen()) return undefined
    if (failure !== undefined) reply.fail(failure)
    this.isConnectionLost.value = false
    this.current.value = undefined
    // A person has taken over before the chatbot has said anything.
    const isTakenOver = reply.phase.value === "stopped" && reply.text === "" && !this.#wantsStop
    if (reply.isHandedOver || isTakenOver) {
      this.entries.value = this.entries.value.filter((entry) => entry !== reply)
    } else if (reply.id.value !== undefined) {
      this.announced.value = reply
      this.onReply(reply)
    }
    return failure
  }

  #onEvent(event: WidgetEvent, reply: Reply): void {
    // The chatbot has the conversation again.
    if ((event.type === "text" || event.type === "tool") && !this.entries.value.includes(reply))
      this.entries.value = [...this.entries.value, reply]
    if (event.type !== "start") return
    this.enter(event.conversation_id)
    if (this.#wantsStop) void this.stop()
  }

  /** Reads a reply that this server process does not hold. Returns why there is none. */
  async #findStored(reply: Reply, isOpen: () => boolean): Promise<Failure | undefined> {
    for (let tries = 1; isOpen() && tries <= STORED_TRIES; tries += 1) {
      const page = await this.#read().catch(failureFrom)
      if (page instanceof Failure && page.kind !== "offline") return page
      if (!(page instanceof Failure)) {
        const stored = page.messages.find(({ id }) => id === reply.id.value)
        if (stored !== undefined && stored.id !== page.reply?.id) return void reply.restore(stored)
      }
      await new Promise((resolve) => setTimeout(resolve, STORED_WAIT_MILLIS))
    }
    return new Failure("failed")
  }
}
