import { join } from "node:path"

/** The quickstart uploads it; tests read it as well. */
const ofQuickstart = "handbook.pdf"

/** Path of a file that tests upload or read, by its name. */
export const fixturePath = (name: string): string =>
  name === ofQuickstart ? join(import.meta.dir, "../../src/quickstart", name) : join(import.meta.dir, "fixtures", name)
