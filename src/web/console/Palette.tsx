import { signal, useSignal } from "@preact/signals"
import { BookOpen, Bot, type IconNode, Keyboard, Monitor, Plus, Upload } from "lucide"
import { useEffect, useId, useRef } from "preact/hooks"
import { Icon } from "../shared/Icon.tsx"
import { allChatbots } from "./data/Chatbots.ts"
import { Dialog } from "./parts/Dialogs.tsx"
import { shortcuts, useShortcuts } from "./parts/Shortcuts.ts"
import { useResource } from "./server/Resource.ts"
import { atRoot } from "./server/Root.ts"
import { can, session } from "./server/Session.ts"
import { href, navigate, parametersOf, place, screenAddress, screenNames } from "./Router.ts"
import { isShown, screens } from "./Screens.ts"
import { theme } from "./Theme.ts"

/** Something that the palette does or leads to. */
interface Command {
  readonly label: string
  /** The thing that it belongs to, such as a chatbot. */
  readonly of: string
  readonly icon: IconNode
  readonly key?: string
  readonly run: () => void
}

/** The most commands that are listed. */
const SHOWN_MAX = 50

const openDialog = signal<"palette" | "keys" | undefined>(undefined)
const close = (): void => void (openDialog.value = undefined)

export const showShortcuts = (): void => void (openDialog.value = "keys")

export const showPalette = (): void => void (openDialog.value = "palette")

/** The screens whose addresses have these parameters and no others. */
const screenCommands = (params: Readonly<Record<string, string>>, of: string): ReadonlyArray<Command> =>
  screenNames
    .filter((name) => isShown(name) && parametersOf(name).join() === Object.keys(params).join())
    .map((name) => ({
      label: screens[name].title,
      of,
      icon: screens[name].icon ?? Bot,
      run: () => void navigate(screenAddress(name, params)),
    }))

const makingCommands = (): ReadonlyArray<Command> => {
  const go = (address: string) => () => void navigate(address)
  const [chatbot, key] = [href("chatbots", {}, { do: "new" }), href("keys", {}, { do: "new" })]
  return [
    ...(can("chatbots:write") && session.value?.chatbot_id === null
      ? [{ label: "New chatbot", of: "Console", icon: Plus, run: go(chatbot) }]
      : []),
    ...(can("admin") ? [{ label: "New key", of: "Console", icon: Plus, run: go(key) }] : []),
  ]
}

const addFilesTo = (chatbotId: string, of: string): ReadonlyArray<Command> =>
  can("knowledge:write")
    ? [
        {
          label: "Add files",
          of,
          icon: Upload,
          run: () => void navigate(href("knowledge", { chatbotId }, { do: "add" })),
        },
      ]
    : []

const general: ReadonlyArray<Command> = [
  { label: "Keyboard shortcuts", of: "Help", icon: Keyboard, key: "?", run: showShortcuts },
  {
    label: "Documentation",
    of: "Help",
    icon: BookOpen,
    run: () => void open(atRoot("/docs/readme"), "_blank", "noopener"),
  },
  ...(["light", "dark", "system"] as const).map((value) => ({
    label: `${value === "system" ? "System" : value === "light" ? "Light" : "Dark"} theme`,
    of: "Console",
    icon: Monitor,
    run: () => void (theme.value = value),
  })),
]

/** A key as it is written on it. */
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
  const list = useRef<HTMLUListElement>(null)
  const search = useSignal("")
  const active = useSignal(0)
  const chatbots = useResource(allChatbots(), can("chatbots:read")).data.value ?? []
  const { chatbotId } = place.value.params
  // Those of the chatbot that is shown come first.
  const sorted = chatbots.toSorted(
    (a, b) => Number(b.id === chatbotId) - Number(a.id === chatbotId) || a.name.localeCompare(b.name),
  )
  const all = [
    ...shortcuts().map(({ key, label, run }) => ({ label, of: "This page", icon: Keyboard, key, run })),
    ...screenCommands({}, "Console"),
    ...makingCommands(),
    ...sorted.flatMap(({ id: own, name }) => [...screenCommands({ chatbotId: own }, name), ...addFilesTo(own, name)]),
    ...general,
  ]
  const found = all.filter(matches(search.value)).slice(0, SHOWN_MAX)
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
    <Dialog title="Command palette" onClose={close}>
      <input
        class="input"
        type="search"
        aria-label="Search pages, chatbots and actions"
        aria-controls={id}
        placeholder="Search pages, chatbots and actions"
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
  <Dialog title="Keyboard shortcuts" onClose={close}>
    <dl class="shortcuts">
      {[
        ...everywhere,
        ...shortcuts()
          .filter(({ key }) => key !== "?")
          .map(({ key, label }) => [key, label] as const),
      ].map(([key, label]) => (
        <div key={key}>
          <dt>
            <kbd>{key.length === 1 ? key.toUpperCase() : key}</kbd>
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
    <p class="soft small">On a Mac, use Command instead of Ctrl.</p>
  </Dialog>
)

/** The place of the palette and of the list of keys. The shell has it once, while somebody is signed in. */
export const Commands = () => {
  useShortcuts([{ key: "?", label: "Keyboard shortcuts", run: showShortcuts }])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      openDialog.value = openDialog.value === "palette" ? undefined : "palette"
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
  if (openDialog.value === "palette") return <Palette />
  return openDialog.value === "keys" ? <Keys /> : null
}
