import { dirname } from "node:path"
import { Effect, FileSystem } from "effect"

/**
 * Writes a file that only the server's user can read, and the directories above it. A file that is there already is
 * removed first, because its mode and owner would stay.
 */
export const writePrivateFile = Effect.fnUntraced(function* (path: string, content: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.makeDirectory(dirname(path), { recursive: true, mode: 0o700 })
  yield* files.remove(path, { force: true })
  yield* files.writeFileString(path, content, { flag: "wx", mode: 0o600 })
})
