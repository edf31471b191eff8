import { Effect } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { DATABASE_CONNECTIONS } from "../../system/Variables.ts"
import { type RunningServers, ServerList } from "../../storage/console/ServerList.ts"
import { count, note, ok, wrong } from "./Check.ts"

/** Reports the servers that use the database: how many, of which versions, and with how many connections. */
export const findingsOf = ({ limits, servers }: RunningServers): ReadonlyArray<Finding> => {
  const machines = new Set(servers.map(({ host }) => host)).size
  const versions = Array.from(new Set(servers.map(({ version }) => version))).sort()
  const most = servers.reduce((sum, { connections }) => sum + connections, 0)
  const together = `all servers together open ${most} at most, and the database gives ${limits.connections}, of which ${limits.open} are open`
  return [
    (versions.length > 1 ? note : ok)(
      "servers",
      servers.length === 0
        ? "none is running"
        : `${count(servers.length, "server")} on ${count(machines, "machine")}, of version${versions.length === 1 ? "" : "s"} ${versions.join(" and ")}`,
    ),
    most > limits.connections
      ? wrong(
          "connections",
          `${together}; lower ${DATABASE_CONNECTIONS} or the number of workers, or raise max_connections`,
        )
      : ok("connections", together),
  ]
}

/** Examines which servers use the database. It finds nothing on the embedded database. */
export const serversCheck = ServerList.use(({ running }) =>
  Effect.map(running, (found) => (found === undefined ? [] : findingsOf(found))),
).pipe(Effect.withSpan("Doctor.servers"))
