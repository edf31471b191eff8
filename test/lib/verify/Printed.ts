import { dlopen, ptr } from "bun:ffi"
import { afterEach } from "bun:test"

/*
 * Lets a test end only when everything that it printed has been read. A test process of Bun sends what it prints by one
 * channel, and the results of its tests by another. On a busy machine a result can arrive before the error that belongs
 * to it, which is then shown with another test.
 */

const STDOUT = 1
const STDERR = 2
/** The bytes of a socket or pipe that nobody has read yet, from `asm-generic/ioctls.h`. */
const TIOCOUTQ = 0x5411
/** The most milliseconds that a test waits for somebody who does not read. */
const PATIENCE_MILLIS = 5_000

const libc = () => {
  try {
    return dlopen("libc.so.6", { ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" } })
  } catch {
    // The system is another, or has another libc.
    return undefined
  }
}

const ioctl = process.platform === "linux" ? libc()?.symbols.ioctl : undefined
if (ioctl !== undefined) {
  const count = new Int32Array(1)
  const isUnread = (fd: number) => ioctl(fd, TIOCOUTQ, ptr(count)) === 0 && count[0] !== 0
  afterEach(() => {
    for (let left = PATIENCE_MILLIS; left > 0 && (isUnread(STDOUT) || isUnread(STDERR)); left--) Bun.sleepSync(1)
  })
}
