import type { IconNode } from "lucide"
import type { ButtonHTMLAttributes, VNode } from "preact"
import { Icon } from "../../shared/Icon.tsx"

interface IconButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "title"> {
  readonly icon: IconNode
  readonly size?: number
  /** Name of the action, as a tooltip and for screen readers. */
  readonly label: string
  /** Object of the action, for screen readers alone. */
  readonly of?: string
}

export const IconButton = ({ icon, label, of, size, ...rest }: IconButtonProps): VNode => (
  <button type="button" class="icon-button" {...rest} title={label}>
    <Icon nodes={icon} {...(size !== undefined && { size })} />
    <span class="visually-hidden">{of === undefined ? label : `${label}: ${of}`}</span>
  </button>
)

/** A small one, below a reply or beside a conversation. */
export const ToolButton = (props: IconButtonProps): VNode => <IconButton class="tool" size={16} {...props} />
