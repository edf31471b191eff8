import type { ComponentChildren, VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { X } from "lucide"
import { useTexts } from "./Context.ts"
import { IconButton } from "./IconButton.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog over the conversation. The browser keeps the focus in it, closes it by Escape, and gives the focus back. */
export const Dialog = ({ children, onClose, title }: DialogProps): VNode => {
  const dialog = useRef<HTMLDialogElement>(null)
  const texts = useTexts()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- A click beside it; Escape does the same.
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={({ currentTarget, target }) => target === currentTarget && currentTarget.close()}
    >
      <div class="dialog-box">
        <header class="row nowrap">
          <h2 id="dialog-title">
            <bdi>{title}</bdi>
          </h2>
          <IconButton icon={X} label={texts.close} onClick={() => dialog.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  )
}
