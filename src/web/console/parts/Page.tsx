import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"

interface PageProps {
  readonly title: string
  /** What stands in the title of the window beside the page's own, such as the chatbot's name. */
  readonly of?: string | undefined
  /** Says in a sentence what the screen is for. */
  readonly about?: ComponentChildren
  /** The buttons beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A screen with its title. */
export const Page = ({ about, actions, children, of, title }: PageProps) => {
  useEffect(() => {
    document.title = [title, of, "Parley"].filter((part) => part !== undefined && part !== "").join(" · ")
  }, [title, of])
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {about !== undefined && <p class="soft">{about}</p>}
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface FoldProps {
  readonly title: string
  readonly about: string
  readonly children: ComponentChildren
}

/** A part of a screen that most people need not see, folded until it is opened. */
export const Fold = ({ about, children, title }: FoldProps) => (
  <details class="section">
    <summary>
      <h2>{title}</h2>
      <span class="soft small">{about}</span>
    </summary>
    <div class="stack loose">{children}</div>
  </details>
)

interface SectionProps {
  readonly title: string
  readonly about?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a screen with a title of its own, in a box. */
export const Section = ({ about, actions, children, title }: SectionProps) => (
  <section class="section stack" aria-label={title}>
    <div class="section-head">
      <div>
        <h2>{title}</h2>
        {about !== undefined && <p class="soft">{about}</p>}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </div>
    {children}
  </section>
)
