import { Glob } from "bun"
import { join } from "node:path"

/** A page of `docs/` whose text is made from the code. */
export interface GeneratedPage {
  /** Its path in the checkout. */
  readonly path: string
  readonly text: string
}

const root = join(import.meta.dir, "../../..")

/**
 * `SettingsPage.ts` exports `settingsPage`, which returns the text of `docs/settings.md`; and so on for each such file.
 */
const generate = async (file: string): Promise<GeneratedPage> => {
  const name = file.slice(0, -"Page.ts".length).toLowerCase()
  const exported: Readonly<Record<string, (() => string) | undefined>> = await import(`./${file}`)
  const make = exported[`${name}Page`]
  if (make === undefined) throw new Error(`${file} has to export ${name}Page.`)
  return { path: join(root, "docs", `${name}.md`), text: make() }
}

/** Every page that is generated. */
export const generatedPages = (): Promise<ReadonlyArray<GeneratedPage>> =>
  Promise.all(
    Array.from(new Glob("*Page.ts").scanSync(import.meta.dir))
      .toSorted()
      .map(generate),
  )
