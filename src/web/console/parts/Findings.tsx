import type { ComponentChildren } from "preact"
import { CircleAlert, CircleCheck, CircleX } from "lucide"
import { Icon } from "../../shared/Icon.tsx"

const marks = {
  good: { icon: CircleCheck, word: "Right" },
  warn: { icon: CircleAlert, word: "Note" },
  bad: { icon: CircleX, word: "Wrong" },
} as const

interface FindingProps {
  readonly kind: keyof typeof marks
  readonly children: ComponentChildren
}

/** What was found of something that was examined. Its kind is said by an icon, and in a word to who does not see that. */
export const Finding = ({ children, kind }: FindingProps) => (
  <li class={`finding ${kind}`}>
    <Icon nodes={marks[kind].icon} size={16} />
    <span class="visually-hidden">{marks[kind].word}: </span>
    {children}
  </li>
)
