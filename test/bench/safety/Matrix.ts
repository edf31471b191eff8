import { withServer } from "./InProcess.ts"
import type { Part } from "../lib/Parts.ts"

/**
 * Sends every operation and every tool the keys that must not perform it and the names of another organization's
 * things, and counts the answers that are not as they have to be.
 */
export const part: Part = (settings) =>
  withServer(settings, async (server) => {
    const { checkOperation, checkTool, keyedOperations } = await import("../../lib/safety/Matrix.ts")
    const { mcpOperations } = await import("../../lib/safety/McpCalls.ts")
    const { makeWorld } = await import("../../lib/safety/World.ts")
    const world = await makeWorld(server)
    const reports = []
    for (const operation of keyedOperations(world)) reports.push(await checkOperation(world, operation))
    for (const operation of mcpOperations) reports.push(await checkTool(world, operation))
    const failures = reports.flatMap((report) => report.failures)
    for (const failure of failures) process.stdout.write(`  ${failure}\n`)
    const cells = reports.reduce((sum, report) => sum + report.cells, 0)
    return [
      { name: "operations and tools", value: String(reports.length) },
      { name: "cells", value: String(cells) },
      { name: "failures", value: String(failures.length), isKept: failures.length === 0 },
    ]
  })
