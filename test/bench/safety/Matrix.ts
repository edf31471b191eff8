import { withServer } from "./InProcess.ts"
import type { MatrixReport } from "../../lib/safety/Matrix.ts"
import type { Part } from "../lib/Parts.ts"

/**
 * Sends every operation and every tool the keys that must not perform it and the names of another organization's
 * things, and every operation by people of every role, and counts the answers that are not as they have to be.
 */
export const part: Part = (settings) =>
  withServer(settings, async (server) => {
    const { checkOperation, checkTool, keyedOperations } = await import("../../lib/safety/Matrix.ts")
    const { mcpOperations } = await import("../../lib/safety/McpCalls.ts")
    const { checkRoles, makeTeam } = await import("../../lib/safety/Roles.ts")
    const { makeWorld } = await import("../../lib/safety/World.ts")
    const world = await makeWorld(server)
    const reports: Array<MatrixReport> = []
    for (const operation of keyedOperations(world)) reports.push(await checkOperation(world, operation))
    for (const operation of mcpOperations) reports.push(await checkTool(world, operation))
    const team = await makeTeam(world)
    const ofRoles: Array<MatrixReport> = []
    for (const operation of keyedOperations(world)) ofRoles.push(await checkRoles(world, team, operation))
    const failures = [...reports, ...ofRoles].flatMap((report) => report.failures)
    for (const failure of failures) process.stdout.write(`  ${failure}\n`)
    const cellsOf = (some: ReadonlyArray<MatrixReport>) => String(some.reduce((sum, report) => sum + report.cells, 0))
    return [
      { name: "operations and tools", value: String(reports.length) },
      { name: "cells", value: cellsOf(reports) },
      { name: "cells of roles", value: cellsOf(ofRoles) },
      { name: "failures", value: String(failures.length), isKept: failures.length === 0 },
    ]
  })
