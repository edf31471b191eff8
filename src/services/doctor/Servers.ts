import { Effect } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { DATABASE_CONNECTIONS } from "../../system/Variables.ts"
import { type RunningServers, ServerList } from "../../storage/console/ServerList.ts"

/** Reports the servers that use the database: how many, of which versions, and with how many connections. */
export const findingsOf = ({ limits, servers }: RunningServers): ReadonlyArray<Finding> => {
  const machines = new Set(servers.map(({ host }) => host)).size
  const versions = Array.from(new Set(servers.map(({ version }) => version))).sort()
  const most = servers.reduce((sum, { connections }) => sum + connections, 0)
  const isTooMuch = most > limits.connections
  return [
    {
      state: versions.length > 1 ? "note" : "ok",
      part: "servers",
      text: `${count(servers.length, "server")} on ${count(machines, "machine")}${versions.length === 0 ? "" : `, of ${versions.length === 1 ? "version" : "versions"} ${versions.join(" and ")}`}`,
    },
    {
      state: isTooMuch ? "wrong" : "ok",
      part: "connections",
      text: `all servers together open ${most} at most, and the database gives ${limits.connections}, of which ${limits.open} are open${
        isTooMuch ? `; lower ${DATABASE_CONNECTIONS} or the number of workers, or raise max_connections` : ""
      }`,
    },
  ]
}

/** Examines which servers use the database. It finds nothing on the embedded database. */
export const serversCheck = ServerList.use(({ running }) =>
  Effect.map(running, (found) => (found === undefined ? [] : findingsOf(found))),
).pipe(Effect.withSpan("Doctor.servers"))

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`
