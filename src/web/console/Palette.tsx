import { useSignal } from "@preact/signals"
import { BookOpen, Bot, FileText, type IconNode, Keyboard, MessagesSquare, Monitor, Plus, Upload } from "lucide"
import { useId, useRef } from "preact/hooks"
import { Icon } from "../shared/Icon.tsx"
import { allChatbots } from "./data/Chatbots.ts"
import { titleOf } from "./data/Texts.ts"
import { Dialog, openDialog, useClose } from "./parts/Dialogs.tsx"
import { useTyped } from "./parts/Typing.ts"
import { shortcuts, useControlKey, useShortcuts } from "./parts/Shortcuts.ts"
import { call } from "./server/Api.ts"
import { resources, useResource } from "./server/Resource.ts"
import { atRoot } from "./server/Root.ts"
import { can, mayCreateChatbots } from "./server/Session.ts"
import { keysOf } from "./server/Unknown.ts"
import { href, navigate, place, screenAddress } from "./Router.ts"
import { screens, screensWith } from "./Screens.ts"
import { theme, themes } from "./Theme.ts"

interface Command {
  readonly label: string
  /** The thing that it belongs to, such as a chatbot. */
  readonly of: string
  readonly icon: IconNode
  readonly key?: string
  readonly run: () => void
}

const SHOWN_MAX = 50
/** The least characters by which conversations are searched. */
const SEARCHED_MIN = 3

export const showShortcuts = (): void => void openDialog(<Keys />)

let closePalette: (() => void) | undefined

export const showPalette = (): void => {
  closePalette = openDialog(<Palette />, () => (closePalette = undefined))
}

export const showDocumentation = (): void => void open(atRoot("/docs/readme"), "_blank", "noopener")

const screenCommands = (params: Readonly<Record<string, string>>, of: string): ReadonlyArray<Command> =>
  screensWith(params).map((name) => ({
    label: screens[name].title,
    of,
    icon: screens[name].icon ?? Bot,
    run: () => void navigate(screenAddress(name, params)),
  }))

/** A command that goes to a screen and does something there, for a key that may do it. */
const doing = (
  isAllowed: boolean,
  label: string,
  of: string,
  icon: IconNode,
  address: string,
): ReadonlyArray<Command> => (isAllowed ? [{ label, of, icon, run: () => void navigate(address) }] : [])

/** The conversations whose messages hold what is searched, newest first. */
const conversationsWith = resources(async (search: string) =>
  search.length < SEARCHED_MIN
    ? []
    : (await call("GET /api/external/conversations", { query: { search, limit: "5" } })).conversations,
)

/** The documents of a chatbot whose name, address or source holds what is searched. */
const documentsWith = resources(async (chatbotId: string, search: string) => {
  const route = "GET /api/external/chatbot/:chatbotId/knowledge-base/documents"
  return search.length < SEARCHED_MIN
    ? []
    : (await call(route, { params: { chatbotId }, query: { search, limit: "5" } })).data
})

const commandsFor = (chatbotId: string, name: string): ReadonlyArray<Command> => [
  ...screenCommands({ chatbotId }, name),
  ...doing(
    can("knowledge:write", chatbotId),
    "Add files",
    name,
    Upload,
    href("knowledge", { chatbotId }, { do: "add" }),
  ),
  ...doing(can("chatbots:write", chatbotId), "Add test", name, Plus, href("tests", { chatbotId }, { do: "new" })),
]

const general: ReadonlyArray<Command> = [
  { label: "Keyboard shortcuts", of: "Help", icon: Keyboard, key: "?", run: showShortcuts },
  { label: "Documentation", of: "Help", icon: BookOpen, run: showDocumentation },
  ...keysOf(themes).map((value) => ({
    label: `${themes[value]} theme`,
    of: "Console",
    icon: Monitor,
    run: () => void (theme.value = value),
  })),
]

const keyWords = (key: string): string => (key.length === 1 ? key.toUpperCase() : key)

const matches = (search: string) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ label, of }: Command): boolean => {
    const text = `${of} ${label}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

const Palette = () => {
  const id = useId()
  const close = useClose()
  const list = useRef<HTMLUListElement>(null)
  const search = useSignal("")
  const active = useSignal(0)
  const chatbots = useResource(allChatbots(), can("chatbots:read", null)).data.value ?? []
  const { chatbotId } = place.value.params
  // Those of the chatbot that is shown come first.
  const sorted = chatbots.toSorted(
    (a, b) => Number(b.id === chatbotId) - Number(a.id === chatbotId) || a.name.localeCompare(b.name),
  )
  const typed = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isNamed = (name: string): boolean => typed.some((word) => name.toLowerCase().includes(word))
  const searched = useSignal("")
  useTyped(search.value, (text) => (searched.value = text.trim()))
  const hits = useResource(conversationsWith(searched.value), can("conversations:read", null)).data.value ?? []
  const conversations = hits.map((hit): Command => ({
    label: titleOf(hit),
    of: "Conversation",
    icon: MessagesSquare,
    run: () => void navigate(href("conversation", { chatbotId: hit.chatbot_id, sessionId: hit.id })),
  }))
  const near = chatbotId ?? ""
  const known = useResource(documentsWith(near, searched.value), near !== "" && can("knowledge:read", near)).data.value
  const documents = (known ?? []).map(({ id: document, name }): Command => ({
    label: name,
    of: "Document",
    icon: FileText,
    run: () => void navigate(href("knowledge", { chatbotId: near }, { document })),
  }))
  const all = [
    ...shortcuts().map(({ key, label, run }) => ({ label, of: "This page", icon: Keyboard, key, run })),
    ...screenCommands({}, "Console"),
    ...doing(mayCreateChatbots(), "New chatbot", "Console", Plus, href("chatbots", {}, { do: "new" })),
    ...doing(can("admin"), "Invite a person", "Console", Plus, href("people", {}, { do: "new" })),
    ...doing(can("admin"), "New key", "Console", Plus, href("keys", {}, { do: "new" })),
    // Of another chatbot than the one that is shown, only the first screen, until the search names it.
    ...sorted.flatMap(({ id: own, name }) =>
      own === chatbotId || isNamed(name)
        ? commandsFor(own, name)
        : [{ label: name, of: "Chatbot", icon: Bot, run: () => void navigate(href("settings", { chatbotId: own })) }],
    ),
    ...general,
  ]
  const commands = all.filter(matches(search.value))
  const found = [...commands.slice(0, SHOWN_MAX), ...documents, ...conversations]
  const current = found[active.value]
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    close()
    command.run()
  }
  const move = (by: number): void => {
    active.value = Math.max(0, Math.min(found.length - 1, active.value + by))
    list.current?.children[active.value]?.scrollIntoView({ block: "nearest" })
  }
  return (
    <Dialog title="Command palette">
      <input
        class="input"
        type="search"
        aria-label="Search pages, chatbots and actions"
        aria-controls={id}
        placeholder="Search pages, chatbots, actions, documents and conversations"
        autocomplete="off"
        autofocus
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value
          active.value = 0
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1)
          else if (event.key === "ArrowUp") move(-1)
          else if (event.key === "Enter") run(current)
          else return
          event.preventDefault()
        }}
      />
      <output class="visually-hidden">{current && `${current.label}, ${current.of}`}</output>
      <ul ref={list} id={id} class="palette" aria-label="Results">
        {found.map((command, index) => (
          <li key={`${command.of} ${command.label} ${index}`}>
            <button
              type="button"
              class={`entry row nowrap${command === current ? " active" : ""}`}
              onClick={() => run(command)}
            >
              <Icon nodes={command.icon} size={16} />
              <span class="ellipsis">{command.label}</span>
              <span class="soft small ellipsis">{command.of}</span>
              {command.key !== undefined && <kbd>{keyWords(command.key)}</kbd>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="soft">No results.</p>}
    </Dialog>
  )
}

const everywhere = [
  ["Ctrl K", "Open the command palette"],
  ["Ctrl S", "Save changes"],
  ["?", "Show keyboard shortcuts"],
] as const

const Keys = () => (
  <Dialog title="Keyboard shortcuts">
    <dl class="shortcuts">
      {[
        ...everywhere,
        ...shortcuts()
          .filter(({ key }) => key !== "?")
          .map(({ key, label }) => [key, label] as const),
      ].map(([key, label]) => (
        <div key={key}>
          <dt>
            <kbd>{keyWords(key)}</kbd>
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
    <p class="soft small">On a Mac, use Command instead of Ctrl.</p>
  </Dialog>
)

/** Offers the palette and the list of keys from everywhere. */
export const useCommands = (): void => {
  useShortcuts([{ key: "?", label: "Keyboard shortcuts", run: showShortcuts }])
  useControlKey("k", () => (closePalette === undefined ? showPalette() : closePalette()))
}
