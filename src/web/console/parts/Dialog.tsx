import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { X } from "lucide"
import { Scroller } from "../../shared/Scroller.tsx"
import { IconButton } from "./Button.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** `drawer` stands at the end of the screen in its full height, for things that are read. */
  readonly kind?: "dialog" | "drawer" | "menu-drawer"
  readonly wide?: boolean
  /** Whether Escape and the button to close are without effect, as while something cannot be undone. */
  readonly stays?: boolean
  readonly children: ComponentChildren
  /** The buttons at the end, the one that goes on last. */
  readonly actions?: ComponentChildren
}

/** A dialog over the screen while it is rendered. The focus stays in it, and goes back to where it was. */
export const Dialog = ({ actions, children, kind = "dialog", onClose, stays = false, title, wide }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      isGone.current = true
      dialog.current?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`${kind}${wide === true ? " wide" : ""}`}
      aria-labelledby={id}
      closedby={stays ? "none" : kind === "dialog" ? "closerequest" : "any"}
      onCancel={(event) => {
        event.preventDefault()
        if (!stays) onClose()
      }}
      onClose={() => {
        // A browser may close it without a question, as when Escape is pressed twice.
        if (isGone.current) return
        if (stays) dialog.current?.showModal()
        else onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!stays && <IconButton icon={X} label="Close" onClick={onClose} />}
      </div>
      {kind === "drawer" ? (
        <Scroller label={title} class="dialog-body">
          <div class="stack">{children}</div>
        </Scroller>
      ) : (
        <div class={kind === "dialog" ? "dialog-body stack" : "dialog-body"}>{children}</div>
      )}
      {actions !== undefined && <div class="dialog-actions">{actions}</div>}
    </dialog>
  )
}
