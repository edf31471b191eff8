/** Wait before drawing in a tab that nobody looks at, which draws no frames. */
const HIDDEN_MILLIS = 250
/** Drawing takes at most one part in so many of the time, so that the page answers whatever is drawn. */
const SHARE = 4
/** A reader cannot tell text that comes twenty times a second from text that comes more often. */
const LEAST_MILLIS = 50

/**
 * Returns a function that runs `draw` once before a later frame of the browser, however often it is called meanwhile: a
 * reply that comes in hundreds of pieces a second is drawn twenty times a second at most, and less often where drawing it
 * takes long.
 */
export const everyFrame = (draw: () => void): (() => void) => {
  let isWaiting = false
  let next = 0
  let last: ReturnType<typeof setTimeout>
  const run = () => {
    if (!isWaiting) return
    isWaiting = false
    clearTimeout(last)
    const start = performance.now()
    next = start + LEAST_MILLIS
    draw()
    // After the browser has laid out what was drawn.
    setTimeout(() => (next = Math.max(next, start + SHARE * (performance.now() - start))))
  }
  return () => {
    if (isWaiting) return
    isWaiting = true
    const wait = Math.max(0, next - performance.now())
    setTimeout(() => requestAnimationFrame(run), wait)
    // A tab that is hidden, or will be, draws no frame.
    last = setTimeout(run, wait + HIDDEN_MILLIS)
  }
}
