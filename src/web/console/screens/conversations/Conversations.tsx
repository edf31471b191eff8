import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { ListFilter, MessagesSquare, ThumbsDown, ThumbsUp } from "lucide"
import { formatCount, formatMoment, plural } from "../../../shared/Format.ts"
import { Icon } from "../../../shared/Icon.tsx"
import { allChatbots } from "../../data/Chatbots.ts"
import { listen } from "../../server/Live.ts"
import { useChatbotNames } from "../../data/Names.ts"
import { Ago, Badge, Empty, Loaded, More, Page, Tabs } from "../../parts/Layout.tsx"
import { Button } from "../../parts/Buttons.tsx"
import { bind, SelectField, TextField } from "../../parts/Field.tsx"
import { nextPage, type Resource, useResource } from "../../server/Resource.ts"
import { href, place, setQuery } from "../../Router.ts"
import { can, session } from "../../server/Session.ts"
import {
  type Conversation,
  type ConversationList,
  conversationList,
  fetchConversations,
  visitorOf,
} from "./ConversationData.ts"
import { countFilters, type Filters, filtersOf, type Kind, kinds } from "./Filters.ts"

/** Time between the last letter and the search. */
const TYPING_MILLIS = 300

const Search = ({ value }: { readonly value: string }) => {
  const typed = useSignal(value)
  useEffect(() => {
    if (typed.value === value) return undefined
    const timer = setTimeout(() => setQuery({ search: typed.value }), TYPING_MILLIS)
    return () => clearTimeout(timer)
  }, [typed.value])
  return (
    <TextField
      label="Search"
      labelHidden
      type="search"
      placeholder="Search messages and e-mail addresses"
      maxLength={200}
      {...bind(typed)}
    />
  )
}

const MoreFilters = ({ filters }: { readonly filters: Filters }) => {
  const chatbots = useResource(allChatbots(), can("chatbots:read")).data.value ?? []
  return (
    <div class="box padded columns narrow">
      {session.value?.chatbot_id === null && chatbots.length > 1 && (
        <SelectField
          label="Chatbot"
          value={filters.chatbot}
          onValue={(chatbot) => setQuery({ chatbot })}
          options={[
            { value: "", label: "All chatbots" },
            ...chatbots.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <TextField
        label="Platform"
        placeholder="web"
        value={filters.platform}
        onValue={(platform) => setQuery({ platform: platform.toLowerCase() })}
        maxLength={32}
      />
      <TextField
        type="date"
        label="Active from"
        value={filters.from}
        max={filters.to}
        onValue={(from) => setQuery({ from })}
      />
      <TextField
        type="date"
        label="Active until"
        value={filters.to}
        min={filters.from}
        onValue={(to) => setQuery({ to })}
      />
    </div>
  )
}

/** The conversations of all chatbots, newest activity first. */
const Conversations = () => {
  const { query } = place.value
  const filters = filtersOf(query)
  const count = countFilters(filters)
  const isOpen = useSignal(count > 0)
  const list = useResource(conversationList(query.toString()))
  const hasNews = useSignal(false)
  useEffect(
    () =>
      listen(undefined, ({ type }) => {
        if (type === "conversation") hasNews.value = true
      }),
    [],
  )
  const showNews = (): void => {
    hasNews.value = false
    void list.reload()
  }
  const clear = (): void => setQuery({ show: "", search: "", chatbot: "", platform: "", from: "", to: "" })
  return (
    <Page title="Conversations" about="What visitors said to all chatbots, newest activity first.">
      <div class="stack">
        <div class="toolbar row">
          <Search key={filters.search === "" ? "empty" : "search"} value={filters.search} />
          <Tabs
            label="Which"
            value={filters.kind}
            onValue={(kind: Kind) => setQuery({ show: kind === "all" ? undefined : kind })}
            tabs={kinds}
          />
          <Button icon={ListFilter} aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
            {count === 0 ? "Filters" : `Filters (${count})`}
          </Button>
        </div>
        {isOpen.value && <MoreFilters filters={filters} />}
        <div aria-live="polite" class="more centred">
          {hasNews.value && <Button onClick={showNews}>Somebody has written: show it</Button>}
        </div>
        <Loaded of={list}>
          {(shown) => (
            <Listed
              query={query.toString()}
              of={list}
              list={shown}
              isFiltered={count > 0 || filters.kind !== "all" || filters.search !== ""}
              onClear={clear}
            />
          )}
        </Loaded>
      </div>
    </Page>
  )
}

interface ListedProps {
  readonly query: string
  readonly of: Resource<ConversationList>
  readonly list: ConversationList
  readonly isFiltered: boolean
  readonly onClear: () => void
}

const Listed = ({ isFiltered, list, of, onClear, query }: ListedProps) => {
  const chatbotName = useChatbotNames()
  const { items, next, searchedTo } = list
  const isOne = session.value?.chatbot_id !== null
  return (
    <>
      {items.length === 0 && next === null && (
        <Empty
          icon={MessagesSquare}
          title={isFiltered ? "No conversation is like that" : "No conversations yet"}
          action={isFiltered && <Button onClick={onClear}>Show all</Button>}
        >
          {isFiltered
            ? "Take a filter away, or search for another word."
            : "As soon as somebody writes to a chatbot, the conversation is here."}
        </Empty>
      )}
      {items.length > 0 && (
        <ul class="conversations box rows">
          {items.map((conversation) => (
            <li key={conversation.id}>
              <Row conversation={conversation} chatbot={isOne ? undefined : chatbotName(conversation.chatbot_id)} />
            </li>
          ))}
        </ul>
      )}
      {next !== null && (
        <More
          of={of}
          load={nextPage((cursor) => fetchConversations(query, cursor))}
          note={searchedTo && `Looked through back to ${formatMoment(searchedTo)}.`}
        >
          {searchedTo === undefined ? "Show more" : "Search further back"}
        </More>
      )}
    </>
  )
}

const Row = ({
  chatbot,
  conversation,
}: {
  readonly conversation: Conversation
  /** The chatbot's name; undefined where there is only one. */
  readonly chatbot: string | undefined
}) => {
  const { chatbot_id: chatbotId, id, last_message: last, message_count, platform, ratings, unanswered } = conversation
  return (
    <a href={href("conversation", { chatbotId, sessionId: id })}>
      <span class="conversation-who">
        <strong class="ellipsis">{visitorOf(conversation)}</strong>
        {chatbot !== undefined && <span class="soft small ellipsis">{chatbot}</span>}
      </span>
      <span class="ellipsis soft">
        {last !== null && (
          <>
            <span class="visually-hidden">{last.sender_type === "user" ? "Visitor" : "Chatbot"}: </span>
            {last.sender_type === "bot" && <span aria-hidden="true">↩ </span>}
            {last.content}
          </>
        )}
      </span>
      <span class="row">
        {unanswered === true && <Badge kind="warn">No answer</Badge>}
        <Ratings count={ratings?.down} kind="down" />
        <Ratings count={ratings?.up} kind="up" />
        {platform !== "web" && <Badge>{platform}</Badge>}
      </span>
      <span class="conversation-when soft small">
        <span>{plural(message_count, "message")}</span>
        <Ago at={conversation.updated_at} />
      </span>
    </a>
  )
}

const Ratings = ({ count = 0, kind }: { readonly count: number | undefined; readonly kind: "up" | "down" }) =>
  count === 0 ? null : (
    <Badge kind={kind === "up" ? "good" : "bad"}>
      <Icon nodes={kind === "up" ? ThumbsUp : ThumbsDown} size={12} /> {formatCount(count)}
      <span class="visually-hidden"> rated {kind}</span>
    </Badge>
  )

export default Conversations
