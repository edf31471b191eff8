import { folded } from "./Asked.ts"

/* Days of the week, which tables abbreviate and join: `Mon–Fri`, `Sa/So`. */

const NAMES: ReadonlyArray<string> = [
  "mon monday mondays mo montag montags lun lundi lunes lunedi",
  "tue tues tuesday tuesdays di dienstag dienstags mardi martes martedi",
  "wed wednesday wednesdays mi mittwoch mittwochs mercredi miercoles mercoledi",
  "thu thur thurs thursday thursdays do donnerstag donnerstags jeu jeudi jueves giovedi",
  "fri friday fridays fr freitag freitags ven vendredi viernes venerdi",
  "sat saturday saturdays sa samstag samstags sonnabend sonnabends sam samedi sab sabado sabados sabato",
  "sun sunday sundays so sonntag sonntags dim dimanche dom domingo domingos domenica",
]
const dayOf = new Map(NAMES.flatMap((names, day) => names.split(" ").map((name) => [name, day] as const)))
const several = new Map<string, ReadonlyArray<number>>([
  ["weekend", [5, 6]],
  ["weekends", [5, 6]],
  ["wochenende", [5, 6]],
  ["weekday", [0, 1, 2, 3, 4]],
  ["weekdays", [0, 1, 2, 3, 4]],
  ["werktags", [0, 1, 2, 3, 4]],
])

/** The days, from 0 for Monday, that a word of a question names; empty where it names none. */
export const daysOfWord = (word: string): ReadonlyArray<number> => {
  const day = word.length > 3 ? dayOf.get(word) : undefined
  return several.get(word) ?? (day === undefined ? [] : [day])
}

/** A longer text is a sentence, in which `so` and `do` are no days. */
const TEXT_MAX_LENGTH = 40
const RANGE = /([a-z]+)\.?\s*(?:-|–|—|to|bis|a|au)\s*([a-z]+)/g

/** The days that a cell or the name of a column names or includes. */
export const daysIn = (text: string): ReadonlySet<number> => {
  const days = new Set<number>()
  if (text.length > TEXT_MAX_LENGTH) return days
  const plain = folded(text)
  for (const word of plain.match(/[a-z]+/g) ?? []) {
    for (const day of several.get(word) ?? [dayOf.get(word) ?? -1]) if (day >= 0) days.add(day)
  }
  for (const [, from = "", to = ""] of plain.matchAll(RANGE)) {
    const [first, last] = [dayOf.get(from), dayOf.get(to)]
    if (first === undefined || last === undefined) continue
    for (let day = first; day !== last; day = (day + 1) % 7) days.add(day)
  }
  return days
}
