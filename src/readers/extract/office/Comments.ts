import { oneLine } from "../Text.ts"
import type { OfficePackage } from "./OfficePackage.ts"
import { allOf, childOf, childrenOf, elementsOf, textOf, type XmlElement } from "./Xml.ts"

/** The names of those who comment, by their ids. */
export type People = ReadonlyMap<string, string>

const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(":") + 1)

/** The descendants of a name in any namespace, because newer parts have namespaces of their own. */
const named = (element: XmlElement | undefined, name: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).flatMap((child) => [...(localName(child) === name ? [child] : []), ...named(child, name)])

const partsOf = (office: OfficePackage, from: string, ...types: ReadonlyArray<string>) =>
  types.flatMap((type) => office.targets(from, type)).map((path) => office.part(path))

/** The people that a presentation or workbook names, in its parts of the older and the newer kind. */
export const peopleOf = (office: OfficePackage, path: string): People =>
  new Map(
    partsOf(office, path, "commentAuthors", "authors", "person")
      .flatMap(elementsOf)
      .map(({ attributes }) => [attributes["id"] ?? "", attributes["displayName"] ?? attributes["name"] ?? ""]),
  )

/** A comment as a Markdown block; none when it has no text. */
const comment = (author = "", text = "", place = ""): ReadonlyArray<string> => {
  const words = oneLine(text)
  return words === "" ? [] : [`Comment${place && ` on ${place}`}${author && ` by ${author}`}: ${words}`]
}

/** The paragraphs of a comment's own text, without those of its replies. */
const ownText = (element: XmlElement): string => {
  const body = elementsOf(element).filter((child) => localName(child) === "txBody")
  const paragraphs = body.flatMap((each) => allOf(each, "a:p")).map((each) => allOf(each, "a:t").map(textOf).join(""))
  return [textOf(childOf(element, "p:text")), ...paragraphs].join(" ")
}

/** The comments on a slide and the replies to them, as Markdown blocks. */
export const slideComments = (office: OfficePackage, path: string, people: People): ReadonlyArray<string> =>
  partsOf(office, path, "comments")
    .flatMap((part) => named(part, "cm"))
    .flatMap((each) => [each, ...named(each, "reply")])
    .flatMap((each) => comment(people.get(each.attributes["authorId"] ?? ""), ownText(each)))

/** The comments on the cells of a sheet, as Markdown blocks. */
export const sheetComments = (office: OfficePackage, path: string, people: People): ReadonlyArray<string> => {
  const threads = partsOf(office, path, "threadedComment").flatMap((part) => named(part, "threadedComment"))
  const notes = partsOf(office, path, "comments").flatMap((part) => {
    const authors = allOf(part, "x:author").map(textOf)
    return allOf(part, "x:comment").flatMap((each) => {
      const author = authors[Number(each.attributes["authorId"])]
      // For older programs each thread is also stored as a note, by an author of this form.
      if (threads.length > 0 && author?.startsWith("tc=") === true) return []
      return comment(author, allOf(childOf(each, "x:text"), "x:t").map(textOf).join(""), each.attributes["ref"])
    })
  })
  const replies = threads.flatMap((each) =>
    comment(
      people.get(each.attributes["personId"] ?? ""),
      named(each, "text").map(textOf).join(" "),
      each.attributes["ref"],
    ),
  )
  return [...notes, ...replies]
}

/** The comments on a slide or a cell of OpenDocument, as Markdown blocks. */
export const odfComments = (element: XmlElement, place?: string): ReadonlyArray<string> =>
  childrenOf(element, "office:annotation").flatMap((each) =>
    comment(textOf(childOf(each, "dc:creator")), childrenOf(each, "text:p").map(textOf).join(" "), place),
  )
