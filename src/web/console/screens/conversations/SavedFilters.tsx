import { useSignal } from "@preact/signals"
import { BookmarkPlus, X } from "lucide"
import { isDay } from "../../charts/Days.ts"
import { kept } from "../../data/Kept.ts"
import { Button, IconButton } from "../../parts/Buttons.tsx"
import { FormDialog, openDialog } from "../../parts/Dialogs.tsx"
import { bind, TextField } from "../../parts/Field.tsx"
import { href, type Mailbox, place } from "../../Router.ts"
import type { call } from "../../server/Api.ts"
import { isFields, keysOf, textIn } from "../../server/Unknown.ts"

/*
 * Filters of conversations, as the address of the screen has them and as the API is asked.
 */

/** The kinds of conversations that each screen shows, and the one that its address leaves out. */
export const kinds = {
  conversations: { all: "All", open: "Open", unread: "Unread", unanswered: "Unanswered", closed: "Closed" },
  inbox: { waiting: "Waiting", mine: "Mine", open: "Open", all: "All" },
} as const
export const usualKinds = { conversations: "all", inbox: "waiting" } as const

/** What the API is asked for, of each kind but those that hold everything or that only this browser knows. */
const requests = {
  conversations: { open: { state: "open" }, closed: { state: "closed" }, unanswered: { unanswered: "true" } },
  inbox: {
    waiting: { owner: "people", waiting: "true", assignee: "none" },
    mine: { owner: "people", state: "open", assignee: "me" },
    open: { owner: "people", state: "open" },
  },
} as const

export const kindIn = (mailbox: Mailbox, query: URLSearchParams): string =>
  keysOf<string>(kinds[mailbox]).find((kind) => kind === query.get("show")) ?? usualKinds[mailbox]

/** The filters behind the button. The days are those of the reader's time zone, both included. */
export const moreFilters = ["chatbot", "tag", "rating", "platform", "from", "to"] as const

/** The midnight at which a day begins in the reader's time zone; of the next day with 1 for `later`. */
const midnight = (day: string | null, later = 0): string | undefined => {
  if (day === null || !isDay(day)) return undefined
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

type Request = NonNullable<NonNullable<Parameters<typeof call<"GET /api/external/conversations">>[1]>["query"]>

export const requestOf = (mailbox: Mailbox, query: URLSearchParams): Request => {
  const ofKind: Readonly<Record<string, Request>> = requests[mailbox]
  return {
    ...ofKind[kindIn(mailbox, query)],
    search: query.get("search")?.trim(),
    chatbot_id: query.get("chatbot") ?? undefined,
    platform: query.get("platform") ?? undefined,
    rating: (["up", "down"] as const).find((rating) => rating === query.get("rating")),
    tag: query.get("tag")?.trim(),
    from: midnight(query.get("from")),
    to: midnight(query.get("to"), 1),
  }
}

/** Filters of conversations under a name, as the query of the screen's address has them. */
interface SavedFilter {
  readonly name: string
  readonly query: string
}

const filters = kept<ReadonlyArray<SavedFilter>>("filters", [], (stored) =>
  Array.isArray(stored)
    ? stored.filter(isFields).map(({ name, query }) => ({ name: textIn(name) ?? "", query: textIn(query) ?? "" }))
    : undefined,
)

const SaveDialog = ({ query }: { readonly query: string }) => {
  const name = useSignal("")
  const save = async (): Promise<void> => {
    filters.value = [...filters.value, { name: name.value.trim(), query }]
  }
  return (
    <FormDialog title="Save filters" action="Save" onSubmit={save}>
      <TextField
        label="Name"
        placeholder="Unanswered on the website"
        maxLength={60}
        required
        hint="Saved in this browser only."
        {...bind(name)}
      />
    </FormDialog>
  )
}

/** The filters that were saved in this browser, and a button that saves those of the address. */
export const SavedFilters = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const query = place.value.query.toString()
  const isNew = isFiltered && filters.value.every((each) => each.query !== query)
  if (!isNew && filters.value.length === 0) return null
  return (
    <div class="row">
      {filters.value.map((each) => (
        <span class="chip row nowrap" key={each.name + each.query}>
          <a
            href={href("conversations", {}, Object.fromEntries(new URLSearchParams(each.query)))}
            aria-current={each.query === query ? "true" : undefined}
          >
            {each.name}
          </a>
          <IconButton
            icon={X}
            label={`Remove filter ${each.name}`}
            onClick={() => (filters.value = filters.value.filter((other) => other !== each))}
          />
        </span>
      ))}
      {isNew && (
        <Button small kind="quiet" icon={BookmarkPlus} onClick={() => openDialog(<SaveDialog query={query} />)}>
          Save filters
        </Button>
      )}
    </div>
  )
}
