import { expect, test } from "bun:test"
import { resources, together } from "../../../src/web/console/server/Resource.ts"
import { until } from "../../lib/Until.ts"

/** A list of which more can be asked for, and what answers. */
const listOf = () => {
  let answer: (page: ReadonlyArray<string>) => void = () => {}
  let fail: (error: Error) => void = () => {}
  let asked = 0
  const list = resources(async (): Promise<ReadonlyArray<string>> => ["a"])()
  const more = () =>
    list.extend(async (known) => {
      asked++
      const page = await new Promise<ReadonlyArray<string>>((resolve, reject) => {
        answer = resolve
        fail = reject
      })
      return [...known, ...page]
    })
  return {
    list,
    more,
    answer: (page: ReadonlyArray<string>) => answer(page),
    fail: () => fail(new Error("no")),
    asked: () => asked,
  }
}

test("more of a list is asked for and shown once when it is wanted twice", async () => {
  const { answer, asked, list, more } = listOf()
  await list.reload()
  const clicks = [more(), more()]
  expect(list.isExtending.value).toBeTrue()
  answer(["b"])
  await Promise.all(clicks)
  expect(list.data.value).toEqual(["a", "b"])
  expect([list.isExtending.value, asked()]).toEqual([false, 1])
})

test("more of a list that was read again meanwhile is not shown after it", async () => {
  const { answer, fail, list, more } = listOf()
  await list.reload()
  const click = more()
  list.set(["new", "a"])
  answer(["b"])
  await click
  expect(list.data.value).toEqual(["new", "a"])
  const failing = more()
  fail()
  await failing
  expect(list.data.value).toEqual(["new", "a"])
  expect(list.failure.value).toBeDefined()
  expect(list.isExtending.value).toBeFalse()
})

test("several resources are there once all of them are, and those that failed are asked again together", async () => {
  let isBroken = true
  let asked = 0
  const one = resources(async () => ++asked)()
  const [two, three] = [1, 2].map((number) =>
    resources(async () => {
      if (isBroken) throw new Error("no")
      return number
    })(),
  )
  if (two === undefined || three === undefined) throw new Error("There are two")
  expect(together(one, two).data.value).toBeUndefined()
  await Promise.all([one.reload(), two.reload(), three.reload()])
  const failed = together(one, two, three)
  expect([failed.data.value, failed.failure.value?.message]).toEqual([undefined, expect.stringContaining("no")])
  isBroken = false
  await failed.reload()
  expect(together(one, two, three).data.value).toEqual([1, 1, 2])
  expect(together(one, two, three).failure.value).toBeUndefined()
})

test("a resource that was set while it was loaded is loaded again, since nobody knows which of the two is newer", async () => {
  const answers: Array<(value: string) => void> = []
  const one = resources(() => new Promise<string>((resolve) => void answers.push(resolve)))()
  const loading = one.reload()
  one.set("set")
  answers[0]?.("old")
  await until(() => answers.length, 2)
  expect(one.data.value).toBe("set")
  answers[1]?.("new")
  await loading
  expect([one.data.value, one.isLoading.value, answers.length]).toEqual(["new", false, 2])
})
