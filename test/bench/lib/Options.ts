import type { ChildOptions } from "../http/Child.ts"

/** The Postgres server of `DATABASE_URL`, in which a benchmark makes databases. */
export const serverUrl = (): string => {
  const url = process.env["DATABASE_URL"]
  if (url === undefined) throw new Error("Set DATABASE_URL to a Postgres server in which databases may be made")
  return url
}

/** The numbers of an option such as `1,16,64`. */
export const numbersOf = (value: string): ReadonlyArray<number> => value.split(",").filter(Boolean).map(Number)

/** Has a server write a CPU profile to a directory when it ends, where there is one; also as Markdown. */
export const profiled = (options: ChildOptions, directory: string | undefined): ChildOptions => ({
  ...options,
  bunOptions: directory === undefined ? [] : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${directory}`],
})
