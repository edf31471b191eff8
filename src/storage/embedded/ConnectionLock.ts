/**
 * A lock that has one holder at a time, in order of arrival. The holder may enter again. Plain promises and timers,
 * because it serves `Wire`, a Node stream that the driver's client uses like a socket.
 */
export class ConnectionLock {
  private readonly timeoutMillis: number
  private holder: object | undefined
  private readonly waiting: Array<{ readonly who: object; readonly enter: () => void }> = []

  constructor(timeoutMillis: number) {
    this.timeoutMillis = timeoutMillis
  }

  /** Waits for the lock. Rejects when another holder does not leave within the timeout. */
  enter(who: object): Promise<void> {
    if (this.holder === undefined || this.holder === who) {
      this.holder = who
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const place = {
        who,
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(place), 1)
        reject(new Error(`Another connection's transaction was open for more than ${this.timeoutMillis} ms`))
      }, this.timeoutMillis)
      this.waiting.push(place)
    })
  }

  /** Releases the lock, if `who` is its holder. */
  leave(who: object): void {
    if (this.holder !== who) return
    const next = this.waiting.shift()
    this.holder = next?.who
    next?.enter()
  }
}
