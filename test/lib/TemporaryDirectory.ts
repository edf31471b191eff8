import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

/** Makes a directory that is deleted when the scope closes. */
export const temporaryDirectory = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), `parley-${name}-`))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
  )
