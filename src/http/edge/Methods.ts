import { Api } from "../../api/Api.ts"

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** `/a/:b` → every path of that form. */
const pattern = (path: string) =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : escape(part)))
      .join("/")}$`,
  )

const routes = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path }) => ({ method, pattern: pattern(path) })),
)

/** The methods that this path answers to; none when there is nothing at it. */
export const methodsOf = (path: string): ReadonlyArray<string> => {
  const methods = new Set(routes.filter((route) => route.pattern.test(path)).map((route): string => route.method))
  if (methods.has("GET")) methods.add("HEAD")
  return Array.from(methods)
}
