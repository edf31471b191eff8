/** How long what is to be drawn waits in a tab that nobody looks at, which draws no frames. */
const HIDDEN_MILLIS = 250

/**
 * Returns a function that runs `draw` once before the next frame of the browser, however often it is called meanwhile:
 * a reply that comes in hundreds of pieces a second is drawn sixty times a second at most.
 */
export const everyFrame = (draw: () => void): (() => void) => {
  let isWaiting = false
  const run = () => {
    if (!isWaiting) return
    isWaiting = false
    draw()
  }
  return () => {
    if (isWaiting) return
    isWaiting = true
    if (document.hidden) setTimeout(run, HIDDEN_MILLIS)
    else {
      requestAnimationFrame(run)
      // A tab that is hidden meanwhile draws no frame.
      setTimeout(run, HIDDEN_MILLIS)
    }
  }
}
