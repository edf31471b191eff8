import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

export interface Shortcut {
  /** The key as `KeyboardEvent.key` has it, such as `j`, `?` or `Escape`. */
  readonly key: string
  readonly label: string
  readonly run: () => void
}

const groups = signal<ReadonlyArray<{ readonly current: ReadonlyArray<Shortcut> }>>([])

/** The shortcuts of what is shown, the latest first. */
export const shortcuts = (): ReadonlyArray<Shortcut> => groups.value.flatMap(({ current }) => current)

/** The controls that take letters for themselves, and everything in a dialog. */
const OWN_KEYS = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [popover]"

/** Offers shortcuts while the component is shown. They are without effect where letters are typed. */
export const useShortcuts = (own: ReadonlyArray<Shortcut>): void => {
  const group = useRef(own)
  group.current = own
  useEffect(() => {
    groups.value = [group, ...groups.peek()]
    return () => {
      groups.value = groups.peek().filter((each) => each !== group)
    }
  }, [group])
}

/** Follows the keyboard from now on. Called once. */
export const startShortcuts = (): void =>
  addEventListener("keydown", (event: KeyboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || event.defaultPrevented) return
    const found = shortcuts().find(({ key }) => key === event.key)
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
