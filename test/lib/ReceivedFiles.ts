import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** The uploaded files below a directory. */
export const received = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => join(parentPath, name))
    : []

/** The beginning of a form's part, for the boundary `x`. */
export const part = (disposition: string, content: string): string =>
  `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}`
