import { useSignal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"

/** A reader within so many pixels of the end is at the end. */
const END_PIXELS = 48

/**
 * Keeps the end of content that grows in view, but only while the reader is at the end. The content is the only child of
 * the scroller; `hasNew` tells that something was added below what the reader sees, and `toEnd` goes there.
 */
export const useFollow = () => {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const hasNew = useSignal(false)
  const isFollowing = useRef(true)
  const toEnd = () => {
    isFollowing.current = true
    hasNew.value = false
    const { current: element } = scroller
    if (element !== null) element.scrollTop = element.scrollHeight
  }
  useLayoutEffect(() => {
    const { current: element } = scroller
    const { current: grown } = content
    if (element === null || grown === null) return
    let lastTop = element.scrollTop
    let lastHeight = grown.offsetHeight
    const onScroll = () => {
      const { clientHeight, scrollHeight, scrollTop } = element
      const isAtEnd = scrollHeight - scrollTop - clientHeight < END_PIXELS
      // Content that shrinks or grows moves the view as well; only the reader moves it up, away from the end.
      if (isAtEnd) isFollowing.current = true
      else if (scrollTop < lastTop) isFollowing.current = false
      if (isAtEnd) hasNew.value = false
      lastTop = scrollTop
    }
    const observer = new ResizeObserver(() => {
      const height = grown.offsetHeight
      if (isFollowing.current) toEnd()
      else if (height > lastHeight) hasNew.value = true
      lastHeight = height
    })
    element.addEventListener("scroll", onScroll, { passive: true })
    observer.observe(grown)
    observer.observe(element)
    return () => {
      element.removeEventListener("scroll", onScroll)
      observer.disconnect()
    }
  }, [])
  return { scroller, content, hasNew, toEnd }
}
