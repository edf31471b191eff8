import { Ellipsis, type IconNode } from "lucide"
import type { ComponentChildren } from "preact"
import { useId, useRef } from "preact/hooks"
import { Icon } from "../../shared/Icon.tsx"

interface MenuItem {
  readonly label: string
  readonly icon?: IconNode
  readonly isDangerous?: boolean
  readonly onChoose: () => void
}

interface MenuProps {
  /** What the button that opens the menu is for. */
  readonly label: string
  readonly class?: string
  /** The contents of the button: three dots unless they are given. */
  readonly children?: ComponentChildren
  readonly items: ReadonlyArray<MenuItem | undefined | false>
}

const GAP = 4

/** Places the menu below its button, or above it where there is no room. */
const place = (menu: HTMLElement, button: HTMLElement): void => {
  const at = button.getBoundingClientRect()
  const below = at.bottom + GAP + menu.offsetHeight <= innerHeight
  const top = below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - menu.offsetHeight)
  const left = Math.min(Math.max(GAP, at.right - menu.offsetWidth), innerWidth - menu.offsetWidth - GAP)
  menu.style.setProperty("top", `${top}px`)
  menu.style.setProperty("left", `${Math.max(GAP, left)}px`)
}

/** A button that opens a list of actions. */
export const Menu = ({ children, class: name = "icon-button", items, label }: MenuProps) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const choices = (): ReadonlyArray<HTMLElement> =>
    Array.from(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])
  const move = (event: KeyboardEvent): void => {
    const all = choices()
    const at = all.findIndex((item) => item === document.activeElement)
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1 + (at < 1 ? all.length : 0),
      Home: 0,
      End: all.length - 1,
    }[event.key]
    if (event.key === "Tab") menu.current?.hidePopover()
    if (next === undefined) return
    event.preventDefault()
    all[next % all.length]?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={name}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popovertarget={id}
      >
        {children ?? <Icon nodes={Ellipsis} size={18} />}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        class="menu"
        onKeyDown={move}
        onToggle={({ newState }) => {
          if (newState !== "open" || menu.current === null || button.current === null) return
          place(menu.current, button.current)
          choices()[0]?.focus()
        }}
      >
        {items.map(
          (item) =>
            item !== undefined &&
            item !== false && (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                class={item.isDangerous === true ? "entry danger" : "entry"}
                onClick={() => {
                  menu.current?.hidePopover()
                  button.current?.focus()
                  item.onChoose()
                }}
              >
                {item.icon && <Icon nodes={item.icon} size={16} />}
                {item.label}
              </button>
            ),
        )}
      </div>
    </>
  )
}
