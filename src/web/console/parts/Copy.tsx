import { useSignal } from "@preact/signals"
import check from "icon:check"
import copy from "icon:copy"
import { Button, IconButton } from "./Button.tsx"

const COPIED_MILLIS = 2_000

/** Copies a text. Pages without https have no clipboard of their own, so that a selection is copied there. */
export const copyText = async (text: string): Promise<void> => {
  if (globalThis.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  area.className = "visually-hidden"
  // Within an open dialog, only what is inside of it can be selected.
  const within = document.querySelector("dialog[open]") ?? document.body
  within.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

interface CopyProps {
  readonly text: string
  /** What is copied, such as `Copy the key`. */
  readonly label: string
  /** Shows the label as a text instead of an icon alone. */
  readonly withText?: boolean
}

/** A button that copies a text, and says for a moment that it has. */
export const CopyButton = ({ label, text, withText }: CopyProps) => {
  const copied = useSignal(false)
  const onClick = async (): Promise<void> => {
    await copyText(text)
    copied.value = true
    setTimeout(() => (copied.value = false), COPIED_MILLIS)
  }
  const icon = copied.value ? check : copy
  return withText === true ? (
    <Button icon={icon} onClick={() => void onClick()}>
      {copied.value ? "Copied" : label}
    </Button>
  ) : (
    <IconButton icon={icon} label={copied.value ? "Copied" : label} onClick={() => void onClick()} />
  )
}
