import { expect, test } from "bun:test"
import { RecentMap } from "../../src/system/RecentMap.ts"

test("a map of bounded size keeps the entries that were made last, however many are made", () => {
  const map = new RecentMap<number>(3)
  for (let number = 0; number < 1_000; number++) map.get(`${number}`, () => number)
  expect([996, 997, 998, 999].map((number) => map.find(`${number}`))).toEqual([undefined, 997, 998, 999])
  expect(map.get("998", () => -1)).toBe(998)
  map.delete("998")
  expect(map.find("998")).toBeUndefined()
})

test("an entry that is made anew is the newest, and those that were deleted do not count", () => {
  const map = new RecentMap<number>(3)
  for (const key of ["a", "b", "c", "a", "d"]) map.set(key, 0)
  expect([...map.keys()]).toEqual(["c", "a", "d"])
  map.delete("c")
  for (const key of ["e", "f"]) map.set(key, 0)
  expect([...map.keys()]).toEqual(["d", "e", "f"])
})
