/**
 * Notices that a service is down, so that it is left alone for a while: after some failures in a row, and from then on
 * after each further one, until it serves again. Callers pass the time, in milliseconds.
 */
export class ServiceHealth {
  private failures = 0
  private restsUntil = Number.NEGATIVE_INFINITY
  private readonly failuresMax: number
  private readonly restMillis: number

  /**
   * @param failuresMax the failures in a row after which the service counts as down
   * @param restMillis the time for which it is then left alone, in milliseconds
   */
  constructor(failuresMax: number, restMillis: number) {
    this.failuresMax = failuresMax
    this.restMillis = restMillis
  }

  /** Whether the service has failed so often that each further failure begins another rest. */
  get isDown(): boolean {
    return this.failures >= this.failuresMax
  }

  /** The time until the service may be asked, in milliseconds; 0 when it may be asked now. */
  restAt(now: number): number {
    return Math.max(0, this.restsUntil - now)
  }

  /** Notes that the service has served, which ends its rest. */
  succeed(): void {
    this.failures = 0
    this.restsUntil = Number.NEGATIVE_INFINITY
  }

  /** Notes that the service has failed. Requests that were under way when a rest began do not prolong it. */
  fail(now: number): void {
    if (this.restAt(now) > 0) return
    this.failures++
    if (this.isDown) this.restsUntil = now + this.restMillis
  }
}
