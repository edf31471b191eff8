import { useSignal } from "@preact/signals"
import { CircleCheck, CircleDot, ListFilter, Mail, MessagesSquare, ThumbsDown, ThumbsUp } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { Scroller } from "../../../shared/Scroller.tsx"
import { useChatbotNames } from "../../data/Admin.ts"
import { allChatbots } from "../../data/Chatbots.ts"
import { myId } from "../../data/Inbox.ts"
import { titleOf } from "../../data/Texts.ts"
import { Button, deleteItem, Menu } from "../../parts/Buttons.tsx"
import { confirmed } from "../../parts/Dialogs.tsx"
import { bind, ChoiceField, optionsOf, SearchField, SelectField, TextField } from "../../parts/Field.tsx"
import { Ago, Badge, Empty, Loaded, More, type Options, Tabs, useTitle } from "../../parts/Layout.tsx"
import { useShortcuts } from "../../parts/Shortcuts.ts"
import { Bulk } from "../../parts/Table.tsx"
import { useTyped } from "../../parts/Typing.ts"
import {
  bindOption,
  bindQuery,
  href,
  type Mailbox,
  mailboxes,
  navigate,
  place,
  queryText,
  setQuery,
} from "../../Router.ts"
import { listen, soon } from "../../server/Live.ts"
import { useResource } from "../../server/Resource.ts"
import { can, session } from "../../server/Session.ts"
import { ModelOffer } from "../models/ModelOffer.tsx"
import {
  change,
  type Conversation,
  conversationList,
  deleteConversations,
  exportItems,
  isFirstPage,
  mayWrite,
  previewOf,
  toggleState,
  visitorOf,
} from "./ConversationData.ts"
import { kinds, moreFilters, SavedFilters, usualKinds } from "./SavedFilters.tsx"
import { Thread, type ThreadProps } from "./Thread.tsx"
import { isUnread, markRead, markUnread } from "./Unread.ts"

const Search = ({ value }: { readonly value: string }) => {
  const typed = useSignal(value)
  useTyped(typed.value, (search) => search !== value && setQuery({ search }))
  return <SearchField label="Search" placeholder="Search messages and e-mails" maxLength={200} {...bind(typed)} />
}

/** The chatbots of which conversations are listed together; none where the key is of a single one. */
const useSeveralChatbots = () => {
  const all = useResource(allChatbots(), can("chatbots:read", null)).data.value ?? []
  return session.value?.chatbot_id === null ? all : []
}

const MoreFilters = () => {
  const chatbots = useSeveralChatbots()
  return (
    <div class="box padded columns narrow">
      {chatbots.length > 1 && (
        <ChoiceField label="Chatbot" {...bindQuery("chatbot")} options={optionsOf(chatbots, "All chatbots")} />
      )}
      <SelectField
        label="Rating"
        {...bindQuery("rating")}
        options={{ "": "Any", down: "Thumbs down", up: "Thumbs up" }}
      />
      <TextField label="Tag" {...bindQuery("tag")} maxLength={50} dir="auto" />
      <TextField label="Platform" placeholder="web" {...bindQuery("platform")} maxLength={32} />
      <TextField label="Active from" type="date" {...bindQuery("from")} max={queryText("to")} />
      <TextField label="Active to" type="date" {...bindQuery("to")} min={queryText("from")} />
    </div>
  )
}

const remove = (all: ReadonlyArray<Conversation>, onGone: () => void): Promise<void> =>
  confirmed(
    {
      title: all.length === 1 ? "Delete this conversation?" : `Delete ${plural(all.length, "conversation")}?`,
      text: "All messages and ratings are deleted as well. This cannot be undone.",
      action: "Delete",
    },
    async () => {
      await deleteConversations(all)
      onGone()
    },
    all.length === 1 ? "Conversation deleted." : `${plural(all.length, "conversation")} deleted.`,
  )

const titles = { conversations: "Conversations", inbox: "Inbox" } as const

interface ListedProps {
  readonly mailbox: Mailbox
  /** Words for the kinds of conversations where they are not the usual ones. */
  readonly options?: Options
  /** What stands beside the title. */
  readonly beside?: ComponentChildren
  readonly one: (props: ThreadProps) => ComponentChildren
}

/** Conversations of all chatbots, newest activity first, with the one that the address names beside them. */
export const ConversationList = ({ beside, mailbox, one, options = kinds[mailbox] }: ListedProps) => {
  const { params, query: parameters } = place.value
  const { chatbotId, sessionId } = params
  const query = parameters.toString()
  const filters = Object.fromEntries(parameters)
  const usual = usualKinds[mailbox]
  const kind = bindOption<string>("show", options, usual)
  const search = queryText("search")
  const count = moreFilters.filter((name) => queryText(name) !== "").length
  const isFiltered = count > 0 || (mailbox === "conversations" && kind.value !== usual) || search !== ""
  const isOpen = useSignal(count > 0)
  const list = useResource(conversationList(mailbox, query))
  const chatbotName = useChatbotNames()
  const areSeveral = useSeveralChatbots().length > 1
  const hasNews = useSignal(false)
  const chosen = useSignal<ReadonlyArray<string>>([])
  const items = list.data.value?.items ?? []
  const chosenOnes = items.filter(({ id }) => chosen.value.includes(id))
  const isOne = sessionId !== undefined
  useTitle(titles[mailbox])
  useEffect(() => {
    const look = soon(() => {
      // What somebody looks after is never out of date; a list in which one reads does not move by itself.
      if (mailbox === "inbox" && isFirstPage(list)) void list.reload()
      else hasNews.value = true
    })
    return listen(undefined, ({ type }) => type === "conversation" && look())
  }, [list])
  const showNews = (): void => {
    hasNews.value = false
    void list.reload()
  }
  const back = href(mailbox, {}, filters)
  const addressOf = ({ chatbot_id, id }: Conversation): string =>
    href(mailboxes[mailbox], { chatbotId: chatbot_id, sessionId: id }, filters)
  const choose = (id: string): void => {
    const known = chosen.value.filter((each) => each !== id)
    chosen.value = known.length === chosen.value.length ? [...known, id] : known
  }
  const gone = (): void => {
    chosen.value = []
    void list.reload()
    void navigate(back)
  }
  const at = items.findIndex(({ id }) => id === sessionId)
  const current = items[at]
  const go = (to: number): void => {
    const next = items[Math.max(0, Math.min(items.length - 1, to))]
    if (next === undefined) return
    void navigate(addressOf(next)).then(() => document.getElementById(`row-${next.id}`)?.focus())
  }
  useShortcuts([
    { key: "j", label: "Next conversation", run: () => go(at + 1) },
    { key: "k", label: "Previous conversation", run: () => go(at - 1) },
    { key: "x", label: "Select conversation", run: () => current && choose(current.id) },
    { key: "u", label: "Mark as unread", run: () => current && markUnread([current]) },
    { key: "e", label: "Close or reopen", run: () => current && mayWrite() && void toggleState(current) },
    {
      key: "#",
      label: "Delete conversation",
      run: () => current && mayWrite() && void remove([current], gone),
    },
    {
      key: "/",
      label: "Search conversations",
      run: () => document.querySelector<HTMLElement>(".inbox [type=search]")?.focus(),
    },
    { key: "Escape", label: "Close conversation", run: () => isOne && void navigate(back) },
  ])
  const Title = isOne ? "h2" : "h1"
  return (
    <div class={isOne ? "inbox has-thread" : "inbox"}>
      <div class="inbox-list stack">
        <div class="row nowrap apart">
          <Title class="inbox-title">{titles[mailbox]}</Title>
          {beside}
        </div>
        <div class="row nowrap">
          <Search key={search === "" ? "empty" : "search"} value={search} />
          <Button icon={ListFilter} aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
            {count === 0 ? "Filters" : `Filters (${count})`}
          </Button>
        </div>
        <Tabs label="Show" {...kind} options={options} />
        {isOpen.value && <MoreFilters />}
        {mailbox === "conversations" && <SavedFilters isFiltered={isFiltered} />}
        <Bulk count={chosenOnes.length} onClear={() => (chosen.value = [])}>
          <Button small onClick={() => markRead(chosenOnes)}>
            Mark as read
          </Button>
          <Menu
            label="More actions for the selection"
            items={[
              { label: "Mark as unread", icon: Mail, onChoose: () => markUnread(chosenOnes) },
              mayWrite(chosenOnes) && {
                label: "Mark as closed",
                icon: CircleCheck,
                onChoose: () => change(chosenOnes, { state: "closed" }),
              },
              mayWrite(chosenOnes) && {
                label: "Mark as open",
                icon: CircleDot,
                onChoose: () => change(chosenOnes, { state: "open" }),
              },
              ...exportItems(chosenOnes),
              mayWrite(chosenOnes) && deleteItem(() => remove(chosenOnes, gone)),
            ]}
          />
        </Bulk>
        <div aria-live="polite" class="more centred">
          {hasNews.value && (
            <Button small onClick={showNews}>
              Show new messages
            </Button>
          )}
        </div>
        <Loaded of={list}>
          {({ items, next, searchedTo }) => (
            <>
              {items.length === 0 && next === null && <NoneFound isFiltered={isFiltered} mailbox={mailbox} />}
              {items.length > 0 && (
                <ul class="conversations box rows" aria-label="Conversations">
                  {items.map((conversation) => (
                    <Row
                      key={conversation.id}
                      conversation={conversation}
                      address={addressOf(conversation)}
                      chatbot={areSeveral ? chatbotName(conversation.chatbot_id) : undefined}
                      isCurrent={conversation.id === sessionId}
                      isChosen={chosen.value.includes(conversation.id)}
                      onChoose={() => choose(conversation.id)}
                    />
                  ))}
                </ul>
              )}
              {next !== null && (
                <More of={list} onMore={list.more} note={searchedTo && `Searched back to ${formatMoment(searchedTo)}.`}>
                  {searchedTo === undefined ? "Show more" : "Search further back"}
                </More>
              )}
            </>
          )}
        </Loaded>
      </div>
      {chatbotId !== undefined && isOne ? (
        one({
          back,
          chatbotId,
          sessionId,
          onGone: gone,
          onDelete: (conversation) => void remove([conversation], gone),
        })
      ) : (
        <div class="inbox-none soft centred">
          <Icon nodes={MessagesSquare} size={28} />
          <p>Select a conversation to read it.</p>
          <p class="small">
            Press <kbd>J</kbd> or <kbd>K</kbd> to move between them, <kbd>?</kbd> for all shortcuts.
          </p>
        </div>
      )}
    </div>
  )
}

const NoneFound = ({ isFiltered, mailbox }: { readonly isFiltered: boolean; readonly mailbox: Mailbox }) =>
  isFiltered ? (
    <Empty
      icon={MessagesSquare}
      title="No matching conversations"
      action={
        <a class="button secondary" href={href(mailbox, {})}>
          Clear filters
        </a>
      }
    >
      Try fewer filters or a different search.
    </Empty>
  ) : mailbox === "inbox" ? (
    <Empty icon={CircleCheck} title={queryText("show") === "" ? "Nobody is waiting" : "No conversations"}>
      {queryText("show") === "mine"
        ? "Take a conversation over, and it appears here."
        : "Conversations appear here when a visitor needs a person."}
    </Empty>
  ) : (
    <Empty icon={MessagesSquare} title="No conversations yet">
      Conversations appear here as soon as someone writes to a chatbot.
    </Empty>
  )

interface RowProps {
  readonly conversation: Conversation
  readonly address: string
  readonly chatbot: string | undefined
  readonly isCurrent: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const Row = ({ address, chatbot, conversation, isChosen, isCurrent, onChoose }: RowProps) => {
  const { handover, id, platform, ratings, state, tags = [], unanswered, updated_at } = conversation
  const title = titleOf(conversation)
  const unread = isUnread(conversation)
  const ofPeople = handover?.owner === "people" ? handover : undefined
  const marks = [
    state === "closed" && "Closed",
    ofPeople?.assignee?.id !== myId() && ofPeople?.assignee?.name,
    platform !== "web" && platform !== "widget" && platform,
    ...tags.map((tag) => `#${tag}`),
  ]
  return (
    <li class={unread ? "unread" : undefined}>
      <input type="checkbox" class="chooser" aria-label={`Select: ${title}`} checked={isChosen} onChange={onChoose} />
      <a id={`row-${id}`} href={address} aria-current={isCurrent ? "true" : undefined}>
        <span class="row nowrap apart">
          {/* The direction is that of the title: `auto` passes over what has one. */}
          <span class="conversation-title ellipsis" dir="auto">
            {unread && (
              <span class="visually-hidden" dir="ltr">
                Unread:{" "}
              </span>
            )}
            {title}
          </span>
          <span class="soft small number">
            <Ago at={updated_at} />
          </span>
        </span>
        <span class="row nowrap apart small">
          <span class="ellipsis soft" dir="auto">
            <bdi>{[visitorOf(conversation), chatbot].filter(Boolean).join(" · ")}</bdi>
            {" – "}
            {previewOf(conversation) || "No text"}
          </span>
          <span class="row nowrap">
            {ofPeople !== undefined && ofPeople.waiting_since !== null && (
              <Badge kind="busy">
                Waiting · <Ago at={ofPeople.waiting_since} />
              </Badge>
            )}
            {unanswered === true && <Badge kind="warn">Unanswered</Badge>}
            <Ratings count={ratings?.down} kind="down" />
            <Ratings count={ratings?.up} kind="up" />
          </span>
        </span>
        {marks.some(Boolean) && (
          <span class="row">
            {Array.from(new Set(marks)).map(
              (mark) =>
                mark && (
                  <Badge key={mark}>
                    <span class="ellipsis">{mark}</span>
                  </Badge>
                ),
            )}
          </span>
        )}
      </a>
    </li>
  )
}

const Ratings = ({ count = 0, kind }: { readonly count: number | undefined; readonly kind: "up" | "down" }) =>
  count === 0 ? null : (
    <Badge kind={kind === "up" ? "good" : "bad"}>
      <Icon nodes={kind === "up" ? ThumbsUp : ThumbsDown} size={12} /> {formatCount(count)}
      <span class="visually-hidden"> thumbs {kind}</span>
    </Badge>
  )

const Conversations = () => (
  <ConversationList
    mailbox="conversations"
    one={(props) => (
      <Scroller label="Conversation">
        <Thread key={props.sessionId} {...props} above={<ModelOffer chatbotId={props.chatbotId} />} />
      </Scroller>
    )}
  />
)

export default Conversations
