/*
 * Collects garbage again and again while tests run, so that what only they hold on to is gone when it may be.
 */

const EVERY_MILLIS = 80

setInterval(() => Bun.gc(true), EVERY_MILLIS).unref()
