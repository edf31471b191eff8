/** How long what is to be drawn waits in a tab that nobody looks at, which draws no frames. */
const HIDDEN_MILLIS = 250
/** Drawing takes at most one part in so many of the time, so that the page answers whatever is drawn. */
const SHARE = 4

/**
 * Returns a function that runs `draw` once before a later frame of the browser, however often it is called meanwhile: a
 * reply that comes in hundreds of pieces a second is drawn sixty times a second at most, and less often where drawing it
 * takes long.
 */
export const everyFrame = (draw: () => void): (() => void) => {
  let isWaiting = false
  let next = 0
  const run = () => {
    if (!isWaiting) return
    isWaiting = false
    const start = performance.now()
    draw()
    // After the browser has laid out what was drawn.
    setTimeout(() => (next = performance.now() + (SHARE - 1) * (performance.now() - start)))
  }
  return () => {
    if (isWaiting) return
    isWaiting = true
    const wait = next - performance.now()
    // A tab that is hidden, or will be, draws no frame.
    setTimeout(run, Math.max(wait, HIDDEN_MILLIS))
    if (wait > 0) setTimeout(() => requestAnimationFrame(run), wait)
    else requestAnimationFrame(run)
  }
}
