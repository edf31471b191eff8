import { Scroller } from "../../shared/Scroller.tsx"
import { CopyButton } from "./Copy.tsx"

interface JsonProps {
  /** Says what it is, such as `Input`. */
  readonly label: string
  /** A text, shown as it is, or any other JSON. */
  readonly value: unknown
}

/** A value as JSON, or a text, that can be copied. */
export const Json = ({ label, value }: JsonProps) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "Empty")
  return (
    <div>
      <div class="row apart">
        <span class="soft small">{label}</span>
        <CopyButton label={`Copy: ${label}`} text={text} />
      </div>
      <Scroller class="code-box" label={label}>
        <pre>{text}</pre>
      </Scroller>
    </div>
  )
}
