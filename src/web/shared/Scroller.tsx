import type { ComponentChildren, Ref } from "preact"

interface ScrollerProps {
  /** Names the region, such as `Tokens by day, as a table`. */
  readonly label: string
  readonly class?: string
  /** The element itself, for who scrolls it. */
  readonly of?: Ref<HTMLElement>
  readonly children: ComponentChildren
}

/** A region that scrolls when its contents are larger, by the keyboard as well. */
export const Scroller = ({ children, class: name = "", label, of }: ScrollerProps) => (
  // Not every browser lets the keyboard into a region that scrolls unless it can have the focus.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <section class={`scroller ${name}`} aria-label={label} tabIndex={0} {...(of !== undefined && { ref: of })}>
    {children}
  </section>
)
