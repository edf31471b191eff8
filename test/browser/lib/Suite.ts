import type { Settings } from "../../lib/Spawn.ts"
import { type HostSite, startHostSite } from "./HostSite.ts"
import { type Model, startModel } from "./Model.ts"
import { type RunningServer, startServer } from "./Process.ts"
import { type BrowserSuite, startBrowser } from "./Visit.ts"

/** Everything that a test file needs: a model, a server that asks it, a customer's site, and a browser. */
export interface Suite extends BrowserSuite {
  readonly model: Model
  readonly server: RunningServer
  readonly site: HostSite
}

/** Starts a suite, until the tests of the calling file have ended. */
export const startSuite = async (settings: Settings = {}): Promise<Suite> => {
  const model = await startModel()
  const server = await startServer(model.url, settings)
  const site = startHostSite(server.url)
  return { model, server, site, ...(await startBrowser([server.url, site.url])) }
}
