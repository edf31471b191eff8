/*
 * Collects garbage again and again while tests run, so that what only they hold on to is gone when it may be.
 */

/** The least milliseconds between two collections. */
const EVERY_MILLIS = 80
/** How many times as long as a collection tests run until the next one: with a large heap, they would hardly run at all. */
const SHARE = 3

const collect = (): void => {
  const begin = performance.now()
  Bun.gc(true)
  setTimeout(collect, Math.max(EVERY_MILLIS, SHARE * (performance.now() - begin))).unref()
}
collect()
