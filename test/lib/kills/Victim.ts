import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Redacted } from "effect"
import { postgresFront } from "../DatabaseFront.ts"
import { scriptWith } from "../ServerProcess.ts"
import { type ServerProcess, spawn } from "../Spawn.ts"
import { type Arrival, killAt, type KillPoint } from "./KillPoints.ts"
import type { Site } from "./Site.ts"
import type { OnStatement } from "./StatementWatch.ts"

const preload = join(import.meta.dir, "Preload.ts")

/** A server that is killed at chosen points of its work, and started anew. */
export class Victim {
  private readonly site: Site
  /** The settings that differ from those of the site. */
  private readonly settings: Readonly<Record<string, string>>
  private readonly script: ReadonlyArray<string>
  private readonly killFile: string
  private readonly isEmbedded: boolean
  private readonly arming: (onStatement: OnStatement) => void
  private process: ServerProcess | undefined
  private next = Promise.withResolvers<string>()
  private killAt: Arrival | undefined

  private constructor(
    site: Site,
    settings: Readonly<Record<string, string>>,
    script: ReadonlyArray<string>,
    arming: Victim["arming"],
  ) {
    this.site = site
    this.script = script
    this.isEmbedded = site.database.kind === "embedded"
    this.killFile = join(site.settings.DATA_DIR, "kill.json")
    this.settings = this.isEmbedded ? { TEST_KILL_FILE: this.killFile, ...settings } : settings
    this.arming = arming
  }

  /** Makes the server, with what watches its statements; closing the scope ends both. */
  static readonly make = Effect.fnUntraced(function* (site: Site, constants?: Context.Context<never>) {
    let onStatement: OnStatement = () => true
    const url =
      site.database.kind === "embedded"
        ? undefined
        : (yield* postgresFront(site.database.url, (moment, statement) => onStatement(moment, statement))).url
    const settings = url === undefined ? {} : { DATABASE_URL: Redacted.value(url) }
    return yield* Effect.acquireRelease(
      Effect.sync(
        () => new Victim(site, settings, scriptWith(constants ?? Context.empty()), (next) => (onStatement = next)),
      ),
      (victim) => Effect.promise(() => victim.kill()),
    )
  })

  /** The address of the server, as soon as it listens. */
  get url(): Promise<string> {
    return this.next.promise
  }

  /** Starts the server, and waits until it listens. */
  async start(): Promise<void> {
    const command = [process.execPath, ...(this.isEmbedded ? ["--preload", preload] : []), ...this.script]
    this.process = spawn({ ...this.site.settings, ...this.settings }, command)
    this.next.resolve(await this.process.listening)
  }

  /** Chooses the point at which the server is killed when it comes to it for the nth time. */
  arm({ at }: KillPoint, occurrence: number): void {
    if (typeof at === "string") this.killAt = at
    else if (this.isEmbedded) {
      writeFileSync(this.killFile, JSON.stringify({ point: at, occurrence }))
      this.process?.kill("SIGUSR2")
    } else this.arming(killAt(at, occurrence, () => this.process?.kill("SIGKILL")))
  }

  arrived(what: Arrival): void {
    if (this.killAt === what) this.process?.kill("SIGKILL")
  }

  /** Waits until the server has died of its own, for so many milliseconds at most, and returns whether it has. */
  async isKilledWithin(millis: number): Promise<boolean> {
    const hasDied = await Promise.race([this.process?.exited.then(() => true), Bun.sleep(millis).then(() => false)])
    this.killAt = undefined
    this.arming(() => true)
    this.next = Promise.withResolvers()
    await this.kill()
    return hasDied === true
  }

  /** The last words of the server. */
  get log(): string {
    return this.process?.stderr() ?? ""
  }

  async kill(): Promise<void> {
    this.process?.kill("SIGKILL")
    await this.process?.exited
  }
}
