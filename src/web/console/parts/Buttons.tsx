import { Ellipsis, type IconNode, LoaderCircle, Pencil, Trash } from "lucide"
import type { ButtonHTMLAttributes, ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { Icon } from "../../shared/Icon.tsx"
import { attempt } from "./Toast.ts"

/*
 * Buttons and menus. A link looks like a button by the class of one.
 */

interface Choice {
  readonly accept?: string
  readonly multiple?: boolean
  readonly webkitdirectory?: boolean
}

/** Has the person choose files in the browser's own dialog; nothing happens when it is closed without a choice. */
export const pickFiles = (choice: Choice, onFiles: (files: ReadonlyArray<File>) => void): void => {
  const input = Object.assign(document.createElement("input"), { type: "file", ...choice })
  input.addEventListener("change", () => onFiles(Array.from(input.files ?? [])))
  input.click()
}

interface ButtonProps extends Omit<ButtonHTMLAttributes, "class" | "icon" | "size" | "loading" | "onClick"> {
  /** `primary` once on a screen at most; `danger` for what cannot be undone. */
  readonly kind?: "primary" | "secondary" | "quiet" | "danger"
  readonly small?: boolean
  readonly icon?: IconNode
  /** Whether what the button has begun is still going on: it then does nothing more. */
  readonly busy?: boolean
  /** Does what the button says; where that fails, a corner of the page tells why. */
  readonly onClick?: () => unknown
  readonly children: ComponentChildren
}

export const Button = ({ busy = false, children, icon, kind = "secondary", onClick, small, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    class={`button ${kind}${small === true ? " small" : ""}`}
    aria-busy={busy || undefined}
    disabled={busy || rest.disabled === true}
    onClick={onClick && (() => void attempt(onClick))}
  >
    {busy ? <Icon nodes={LoaderCircle} size={16} /> : icon && <Icon nodes={icon} size={16} />}
    <span>{children}</span>
  </button>
)

interface IconButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "size" | "loading"> {
  readonly label: string
  readonly icon: IconNode
}

export const IconButton = ({ class: name, icon, label, ...rest }: IconButtonProps) => (
  <button
    type="button"
    title={label}
    {...rest}
    class={`icon-button ${name === undefined ? "" : String(name)}`}
    aria-label={label}
  >
    <Icon nodes={icon} size={18} />
  </button>
)

interface MenuItem {
  readonly label: string
  readonly icon?: IconNode
  readonly isDangerous?: boolean
  readonly onChoose: () => unknown
}

/** The entry of a menu that changes something, in a dialog. */
export const changeItem = (onChoose: () => unknown): MenuItem => ({ label: "Edit…", icon: Pencil, onChoose })

/** The entry of a menu that deletes something, once the person has confirmed it. */
export const deleteItem = (onChoose: () => unknown, label = "Delete…"): MenuItem => ({
  label,
  icon: Trash,
  isDangerous: true,
  onChoose,
})

interface MenuProps {
  readonly label: string
  /** The icon of a button with the label; without it, three dots open the menu. */
  readonly icon?: IconNode
  readonly kind?: "primary" | "secondary"
  readonly items: ReadonlyArray<MenuItem | undefined | false>
}

export const Menu = ({ icon, items, kind = "primary", label }: MenuProps) => {
  const id = useId()
  const shown = items.filter((item) => item !== undefined && item !== false)
  if (shown.length === 0) return null
  return (
    <>
      {icon === undefined ? (
        <IconButton icon={Ellipsis} label={label} popovertarget={id} />
      ) : (
        <Button kind={kind} icon={icon} popovertarget={id}>
          {label}
        </Button>
      )}
      <div id={id} popover="auto" class="menu raised">
        {shown.map((item, index) => (
          <button
            key={item.label}
            type="button"
            class={item.isDangerous === true ? "entry row nowrap danger" : "entry row nowrap"}
            autofocus={index === 0}
            popovertarget={id}
            popovertargetaction="hide"
            onClick={() => void attempt(item.onChoose)}
          >
            {item.icon && <Icon nodes={item.icon} size={16} />}
            {item.label}
          </button>
        ))}
      </div>
    </>
  )
}
