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
import { nextPage, useResource } from "../../server/Resource.ts"
import { bindQuery, href, place, queryText, setQuery } from "../../Router.ts"
import { can, session } from "../../server/Session.ts"
import { type Conversation, conversationList, fetchConversations, visitorOf } from "./ConversationData.ts"
import { type Kind, kindIn, kinds, moreFilters } from "./Filters.ts"

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

const MoreFilters = () => {
  const chatbots = useResource(allChatbots(), can("chatbots:read")).data.value ?? []
  return (
    <div class="box padded columns narrow">
      {session.value?.chatbot_id === null && chatbots.length > 1 && (
        <SelectField
          label="Chatbot"
          {...bindQuery("chatbot")}
          options={[
            { value: "", label: "All chatbots" },
            ...chatbots.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <TextField label="Platform" placeholder="web" {...bindQuery("platform")} maxLength={32} />
      <TextField label="Active from" type="date" {...bindQuery("from")} max={queryText("to")} />
      <TextField label="Active until" type="date" {...bindQuery("to")} min={queryText("from")} />
    </div>
  )
}

/** The conversations of all chatbots, newest activity first. */
const Conversations = () => {
  const query = place.value.query.toString()
  const kind = kindIn(place.value.query)
  const search = queryText("search")
  const count = moreFilters.filter((name) => queryText(name) !== "").length
  const isFiltered = count > 0 || kind !== "all" || search !== ""
  const isOpen = useSignal(count > 0)
  const list = useResource(conversationList(query))
  const chatbotName = useChatbotNames()
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
  return (
    <Page title="Conversations" about="What visitors said to all chatbots, newest activity first.">
      <div class="stack">
        <div class="toolbar row">
          <Search key={search === "" ? "empty" : "search"} value={search} />
          <Tabs
            label="Which"
            value={kind}
            onValue={(next: Kind) => setQuery({ show: next === "all" ? undefined : next })}
            tabs={kinds}
          />
          <Button icon={ListFilter} aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
            {count === 0 ? "Filters" : `Filters (${count})`}
          </Button>
        </div>
        {isOpen.value && <MoreFilters />}
        <div aria-live="polite" class="more centred">
          {hasNews.value && <Button onClick={showNews}>Somebody has written: show it</Button>}
        </div>
        <Loaded of={list}>
          {({ items, next, searchedTo }) => (
            <>
              {items.length === 0 && next === null && <NoneFound isFiltered={isFiltered} />}
              {items.length > 0 && (
                <ul class="conversations box rows">
                  {items.map((conversation) => (
                    <li key={conversation.id}>
                      <Row conversation={conversation} chatbotName={chatbotName} />
                    </li>
                  ))}
                </ul>
              )}
              {next !== null && (
                <More
                  of={list}
                  load={nextPage((cursor) => fetchConversations(query, cursor))}
                  note={searchedTo && `Looked through back to ${formatMoment(searchedTo)}.`}
                >
                  {searchedTo === undefined ? "Show more" : "Search further back"}
                </More>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  )
}

const NoneFound = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty
      icon={MessagesSquare}
      title="No conversation is like that"
      action={
        <a class="button secondary" href={href("conversations", {})}>
          Show all
        </a>
      }
    >
      Take a filter away, or search for another word.
    </Empty>
  ) : (
    <Empty icon={MessagesSquare} title="No conversations yet">
      As soon as somebody writes to a chatbot, the conversation is here.
    </Empty>
  )

interface RowProps {
  readonly conversation: Conversation
  readonly chatbotName: (id: string) => string
}

const Row = ({ chatbotName, conversation }: RowProps) => {
  const { chatbot_id: chatbotId, id, last_message: last, message_count, platform, ratings, unanswered } = conversation
  return (
    <a href={href("conversation", { chatbotId, sessionId: id })}>
      <span class="conversation-who">
        <strong class="ellipsis">{visitorOf(conversation)}</strong>
        {session.value?.chatbot_id === null && <span class="soft small ellipsis">{chatbotName(chatbotId)}</span>}
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
