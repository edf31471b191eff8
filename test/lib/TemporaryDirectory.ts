import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

/** What scopes have not deleted yet, such as the data of a server that tests share until their process ends. */
const left = new Set<string>()
process.on("exit", () => left.forEach(remove))

const remove = (directory: string): void => {
  rmSync(directory, { recursive: true, force: true })
  left.delete(directory)
}

/** Makes a directory that is deleted when the scope closes, or the process ends. */
export const temporaryDirectory = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), `parley-${name}-`))
      left.add(directory)
      return directory
    }),
    (directory) => Effect.sync(() => remove(directory)),
  )
