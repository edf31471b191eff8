import { expect, test } from "bun:test"
import { obstacleOf } from "./bench/faults.ts"
import { plantedFaults } from "./bench/safety/PlantedFaults.ts"

test("every fault of `bun run bench faults` can still be planted", () => {
  expect(plantedFaults.length).toBeGreaterThanOrEqual(24)
  expect(plantedFaults.flatMap((fault) => obstacleOf(fault) ?? [])).toEqual([])
})
