/*
 * The metrics of several workers as one text of Prometheus's format.
 */

const NAME = /^[a-zA-Z_:][\w:]*/

/** Adds the label `worker` to a line with a sample. */
const labelled = (line: string, worker: number): string => {
  const name = NAME.exec(line)?.[0] ?? ""
  const rest = line.slice(name.length)
  return rest.startsWith("{")
    ? `${name}{worker="${worker}"${rest.startsWith("{}") ? "" : ","}${rest.slice(1)}`
    : `${name}{worker="${worker}"}${rest}`
}

/**
 * Merges the expositions of workers, by their numbers: each sample gets the label `worker`, and each metric has its
 * `HELP` and `TYPE` once, with the samples of all workers after them.
 */
export const mergeExpositions = (expositions: ReadonlyMap<number, string>): string => {
  const families = new Map<string, { readonly about: Array<string>; readonly samples: Array<string> }>()
  for (const [worker, text] of expositions) {
    let family: { readonly about: Array<string>; readonly samples: Array<string> } | undefined
    for (const line of text.split("\n")) {
      if (line === "") continue
      const [, kind, name = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (kind === undefined) {
        if (!line.startsWith("#")) family?.samples.push(labelled(line, worker))
        continue
      }
      family = families.get(name) ?? { about: [], samples: [] }
      families.set(name, family)
      if (!family.about.some((known) => known.startsWith(`# ${kind} `))) family.about.push(line)
    }
  }
  const lines = Array.from(families.values(), ({ about, samples }) => [...about, ...samples]).flat()
  return lines.map((line) => `${line}\n`).join("")
}
