import { join } from "node:path"

/** The file that the quickstart uploads, which tests read too. */
const ofQuickstart = "handbook.pdf"

/** The path of a file that tests upload or read, by its name. */
export const fixturePath = (name: string): string =>
  name === ofQuickstart ? join(import.meta.dir, "../../src/quickstart", name) : join(import.meta.dir, "fixtures", name)
