import type { VNode } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { MathToken } from "./MathTokens.ts"

/**
 * A formula as MathML. It is its source until what draws it is loaded, and stays so where it is no formula. No formula can
 * name an address: what draws it trusts none.
 */
export const Formula = ({ token: { isDisplay, raw, text } }: { readonly token: MathToken }): VNode => {
  const ref = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const { current: element } = ref
    if (element === null) return
    const showSource = () => void (element.textContent = raw)
    showSource()
    import("temml")
      .then(({ default: temml }) =>
        temml.render(text, element, { displayMode: isDisplay, throwOnError: true, maxSize: [25, 25] }),
      )
      .catch(showSource)
  }, [])
  return <span ref={ref} class={isDisplay ? "math display" : "math"} dir="ltr" />
}
