/** Lets one holder through at a time, in order of arrival; the holder may enter again. */
export class ConnectionLock {
  private readonly timeoutMillis: number
  private holder: object | undefined
  private readonly waiting: Array<{ readonly who: object; readonly enter: () => void }> = []

  constructor(timeoutMillis: number) {
    this.timeoutMillis = timeoutMillis
  }

  /** Rejects when another holder does not leave within the time-out. */
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

  /** Of no effect for one who is not inside. */
  leave(who: object): void {
    if (this.holder !== who) return
    const next = this.waiting.shift()
    this.holder = next?.who
    next?.enter()
  }
}
