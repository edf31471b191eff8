import type { ComponentChildren } from "preact"
import { type IconNode, CircleAlert } from "lucide"
import { Icon } from "../../shared/Icon.tsx"
import type { Failure } from "../Failure.ts"
import type { Resource } from "../Resource.ts"
import { Button } from "./Button.tsx"

interface EmptyProps {
  readonly icon: IconNode
  readonly title: string
  readonly children?: ComponentChildren
  /** What to do about it. */
  readonly action?: ComponentChildren
}

/** What stands where there is nothing yet. */
export const Empty = ({ action, children, icon, title }: EmptyProps) => (
  <div class="empty">
    <Icon nodes={icon} size={28} />
    <h2>{title}</h2>
    {children !== undefined && <div class="prose">{children}</div>}
    {action}
  </div>
)

/** The outlines of what is being loaded. */
export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => (
  <output class="skeleton" aria-label="Loading">
    {Array.from({ length: lines }, (_, index) => (
      <span key={index} />
    ))}
  </output>
)

/** Why something could not be shown, and a button to try it again. */
export const Problem = ({ failure, onRetry }: { readonly failure: Failure; readonly onRetry?: () => void }) => (
  <div class="notice bad" role="alert">
    <Icon nodes={CircleAlert} size={18} />
    <div>
      <p>{failure.message}</p>
      {failure.requestId !== undefined && failure.status >= 500 && (
        <p class="small">
          Request <code>{failure.requestId}</code> in the server's log
        </p>
      )}
    </div>
    {onRetry !== undefined && (
      <Button small onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)

interface MoreProps<A> {
  readonly of: Resource<A>
  /** Adds the next ones to what is known. */
  readonly load: (known: A) => Promise<A>
  readonly note?: string | undefined
  readonly children?: string
}

/** The button below a list of which there is more than is shown. */
export const More = <A,>({ children = "Show more", load, note, of }: MoreProps<A>) => (
  <div class="more">
    {note !== undefined && <p class="soft small">{note}</p>}
    <Button busy={of.isExtending.value} onClick={() => void of.extend(load)}>
      {children}
    </Button>
  </div>
)

interface LoadedProps<A> {
  readonly of: Resource<A>
  /** How many lines the outlines have until there is something to show. */
  readonly lines?: number
  readonly children: (data: A) => ComponentChildren
}

/** Shows a resource once it is there, its outlines before, and why it could not be loaded. */
export const Loaded = <A,>({ children, lines, of }: LoadedProps<A>) => {
  const data = of.data.value
  const failure = of.failure.value
  return (
    <>
      {failure !== undefined && <Problem failure={failure} onRetry={() => void of.reload()} />}
      {data !== undefined
        ? children(data)
        : failure === undefined && <Skeleton {...(lines !== undefined && { lines })} />}
    </>
  )
}
