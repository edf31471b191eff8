import { CircleAlert, CircleCheck, CircleX, type IconNode } from "lucide"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { formatAgo, formatCount, formatMoment } from "../../shared/Format.ts"
import { Icon } from "../../shared/Icon.tsx"
import { chatbotResource } from "../data/Chatbots.ts"
import { inboxCounts } from "../data/Inbox.ts"
import { place } from "../Router.ts"
import type { Failure } from "../server/Failure.ts"
import type { List, Paged, Resource, Shown } from "../server/Resource.ts"
import { atRoot } from "../server/Root.ts"
import { keysOf } from "../server/Unknown.ts"
import { Button } from "./Buttons.tsx"

/*
 * Parts of a screen's layout: its title, sections, lists, and what stands there while there is nothing to list.
 */

interface PageProps {
  readonly title: string
  readonly about?: ComponentChildren
  /** Name of the page of the documentation about what the screen shows, such as `webhooks`. */
  readonly docs?: string | undefined
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Gives the window a title, with a part beside the page's own, after the number of visitors who wait. */
export const useTitle = (title: string, of?: string): void => {
  const count = inboxCounts().data.value?.waiting ?? 0
  useEffect(() => {
    const text = [title, of, "Parley"].filter((part) => part !== undefined && part !== "").join(" · ")
    document.title = count === 0 ? text : `(${formatCount(count)}) ${text}`
  }, [title, of, count])
}

/** A screen with its title, and that of the window with the name of the chatbot that it is of. */
export const Page = ({ about, actions, children, docs, title }: PageProps) => {
  const { chatbotId } = place.value.params
  useTitle(title, chatbotId && chatbotResource(chatbotId).data.value?.chatbot.name)
  return (
    <div class="page stack loose">
      <header class="page-head row apart">
        <div>
          <h1 tabIndex={-1} dir="auto">
            {title}
          </h1>
          {(about !== undefined || docs !== undefined) && (
            <p class="soft">
              {about}{" "}
              {docs !== undefined && (
                <a class="inline" href={atRoot(`docs/${docs}`)} target="_blank" rel="noopener">
                  Documentation
                </a>
              )}
            </p>
          )}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface SectionProps {
  readonly title: string
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a screen with a title of its own, in a box. */
export const Section = ({ about, actions, children, title }: SectionProps) => (
  <section class="section stack" aria-label={title}>
    <div class="section-head row apart start">
      <div>
        <h2>{title}</h2>
        {about !== undefined && <p class="soft small">{about}</p>}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </div>
    {children}
  </section>
)

interface EmptyProps {
  readonly icon: IconNode
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

export const Empty = ({ action, children, icon, title }: EmptyProps) => (
  <div class="empty centred">
    <Icon nodes={icon} size={28} />
    <h2>{title}</h2>
    {children !== undefined && <div class="prose">{children}</div>}
    {action}
  </div>
)

export const Skeleton = () => (
  <output class="skeleton stack" aria-label="Loading">
    <span />
    <span />
    <span />
    <span />
  </output>
)

interface ProblemProps {
  readonly failure: Failure
  readonly onRetry?: () => void
  /** Other words for it than those of the failure. */
  readonly children?: string | false
}

/** The reason why something could not be shown, and a button to try it again. */
export const Problem = ({ children, failure, onRetry }: ProblemProps) => (
  <div class="notice bad row nowrap start" role="alert">
    <Icon nodes={CircleAlert} size={18} />
    <div>
      <p>{children || failure.message}</p>
      {failure.requestId !== undefined && failure.status >= 500 && (
        <p class="small">
          Request ID: <code>{failure.requestId}</code>
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

interface MoreProps {
  readonly of: Pick<Resource<unknown>, "isExtending">
  readonly onMore: () => Promise<void>
  readonly note?: string | undefined
  readonly children?: string
}

export const More = ({ children = "Show more", note, of, onMore }: MoreProps) => (
  <div class="more centred">
    {note !== undefined && <p class="soft small">{note}</p>}
    <Button busy={of.isExtending.value} onClick={onMore}>
      {children}
    </Button>
  </div>
)

interface LoadedProps<A> {
  readonly of: Shown<A>
  readonly empty?: ComponentChildren
  readonly children: (data: A) => ComponentChildren
}

/** Shows a resource once it is there, its outlines before, and why it could not be loaded. */
export const Loaded = <A,>({ children, empty, of }: LoadedProps<A>) => {
  const data = of.data.value
  const failure = of.failure.value
  return (
    <>
      {failure !== undefined && <Problem failure={failure} onRetry={() => void of.reload()} />}
      {data !== undefined
        ? empty !== undefined && Array.isArray(data) && data.length === 0
          ? empty
          : children(data)
        : failure === undefined && <Skeleton />}
    </>
  )
}

interface LoadedListProps<A> extends LoadedProps<A> {
  readonly of: List<A>
}

/** Shows a list as far as it is there, with a button for what comes next. */
export const LoadedList = <A extends Paged<{ readonly id: string }>>({ children, empty, of }: LoadedListProps<A>) => (
  <Loaded of={of}>
    {(known) => (
      <>
        {empty !== undefined && known.items.length === 0 ? empty : children(known)}
        {known.next && <More of={of} onMore={of.more} />}
      </>
    )}
  </Loaded>
)

/** A screen that needs a resource before it can show anything but its title. */
export const LoadedPage = <A,>({ children, of, title }: LoadedProps<A> & Pick<PageProps, "title">) =>
  of.data.value === undefined ? (
    <Page title={title}>
      <Loaded of={of}>{() => null}</Loaded>
    </Page>
  ) : (
    <>{children(of.data.value)}</>
  )

interface FactsProps {
  readonly facts: Readonly<Record<string, ComponentChildren>>
}

export const FactList = ({ facts }: FactsProps) => (
  <dl class="facts">
    {Object.entries(facts).map(
      ([name, value]) =>
        value !== false && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

/** An address as a link, which opens in another tab. */
export const ExternalLink = ({ url }: { readonly url: string }) => (
  <a class="small anywhere" href={url} target="_blank" rel="noopener noreferrer" dir="ltr">
    {url.replace(/#:~:.*$/, "")}
  </a>
)

/** A moment by how long ago it was, and in full when it is pointed at. */
export const Ago = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={formatMoment(at)}>
    {formatAgo(at, Date.now())}
  </time>
)

export const Badge = ({
  children,
  kind = "plain",
}: {
  readonly kind?: "plain" | "good" | "warn" | "bad" | "busy"
  readonly children: ComponentChildren
}) => <span class={`badge ${kind}`}>{children}</span>

export interface State {
  readonly word: string
  readonly kind: "plain" | "good" | "warn" | "bad" | "busy"
}

/** The state of something in a word; nothing without one. */
export const StateBadge = ({ of }: { readonly of: State | undefined }) =>
  of === undefined ? null : <Badge kind={of.kind}>{of.word}</Badge>

/** Values that a person chooses from, in this order, with the words for each. */
export type Options<A extends string = string> = Readonly<Partial<Record<A, string>>>

interface TabsProps<A extends string> {
  readonly label: string
  /** The chosen one; none of the options where nothing is. */
  readonly value: NoInfer<A> | ""
  readonly onValue: (value: A) => void
  readonly options: Options<A>
}

/** A choice between a few views of the same thing, which stand below it. */
export const Tabs = <A extends string>({ label, onValue, options, value }: TabsProps<A>) => (
  <fieldset class="tabs">
    <legend class="visually-hidden">{label}</legend>
    {keysOf(options).map((own) => (
      <button key={own} type="button" aria-pressed={own === value} onClick={() => onValue(own)}>
        {options[own]}
      </button>
    ))}
  </fieldset>
)

const marks = {
  good: { icon: CircleCheck, word: "OK" },
  warn: { icon: CircleAlert, word: "Warning" },
  bad: { icon: CircleX, word: "Problem" },
} as const

interface FindingProps {
  readonly kind: keyof typeof marks
  readonly children: ComponentChildren
}

/** A result of an examination. An icon shows its kind, and a word tells it to who does not see that. */
export const Finding = ({ children, kind }: FindingProps) => (
  <li class={`finding row nowrap start ${kind}`}>
    <Icon nodes={marks[kind].icon} size={16} />
    <span class="visually-hidden">{marks[kind].word}: </span>
    {children}
  </li>
)

interface CardProps {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const Card = ({ actions, children, title }: CardProps) => (
  <li class="section stack tight anywhere">
    <div class="row apart">
      <h2 dir="auto">{title}</h2>
      {actions !== undefined && <div class="row">{actions}</div>}
    </div>
    {children}
  </li>
)
