/** Drawing takes at most one part in so many of the time, so that the page answers while anything is drawn. */
const SHARE = 4
/** A reader cannot tell text that comes twenty times a second from text that comes more often. */
const LEAST_MILLIS = 50

/**
 * Returns a function that runs `draw` once a little later, however often it is called meanwhile: a reply that comes in
 * hundreds of pieces a second is drawn twenty times a second at most, and less often where drawing it takes long.
 */
export const paced = (draw: () => void): (() => void) => {
  let isWaiting = false
  let next = 0
  const run = () => {
    isWaiting = false
    const start = performance.now()
    next = start + LEAST_MILLIS
    draw()
    // After the browser has laid out what was drawn.
    setTimeout(() => (next = Math.max(next, start + SHARE * (performance.now() - start))))
  }
  return () => {
    if (!isWaiting) setTimeout(run, Math.max(0, next - performance.now()))
    isWaiting = true
  }
}
