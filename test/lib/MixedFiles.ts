import { random } from "./Random.ts"

/*
 * Files of every format that can be written without a library, with different prose in each.
 */

export interface MixedFile {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const WORDS = (
  "harbour lantern tide captain rope anchor gull chart wind stone bridge letter winter garden window engine copper " +
  "river market signal cellar orchard feather pepper mirror ladder valley thunder basket candle pocket needle the a of"
).split(" ")

/** Makes `count` different files of 1 to 30 sections each. */
export const makeMixedFiles = (count: number, seed: number): ReadonlyArray<MixedFile> => {
  const draw = random(seed)
  const pick = (most: number) => 1 + Math.floor(draw() * most)
  const sentence = () =>
    `${Array.from({ length: 6 + pick(14) }, () => WORDS[pick(WORDS.length) - 1]).join(" ")} ${pick(99_999)}.`
  const paragraph = () => Array.from({ length: 2 + pick(8) }, sentence).join(" ")
  return Array.from({ length: count }, (_, index) => {
    const [kind, write] = WRITERS[index % WRITERS.length] ?? WRITERS[0]
    const sections = Array.from({ length: pick(30) }, paragraph)
    return { name: `file-${seed}-${index}.${kind}`, bytes: Buffer.from(write(`File ${index}`, sections), "latin1") }
  })
}

type Writer = (title: string, sections: ReadonlyArray<string>) => string

const markdown: Writer = (title, sections) =>
  [`# ${title}`, ...sections.map((text, index) => `## Part ${index + 1}\n\n${text}`)].join("\n\n")

const html: Writer = (title, sections) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>
${sections.map((text, index) => `<h2>Part ${index + 1}</h2><p>${text}</p>`).join("\n")}</body></html>`

const csv: Writer = (title, sections) =>
  ["part,title,text", ...sections.map((text, index) => `${index + 1},${title},"${text}"`)].join("\n")

const json: Writer = (title, sections) =>
  JSON.stringify({ title, parts: sections.map((text, number) => ({ number, text })) })

/** One page for each section, with a text operator for each line: the least that readers of PDF accept. */
const pdf: Writer = (title, sections) => {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
  const pages = sections.map((text) => {
    const lines = `${title} ${text}`.match(/.{1,80}(?: |$)/g) ?? []
    const content = `BT /F1 10 Tf 14 TL 40 800 Td ${lines.map((line) => `(${line.trim()}) Tj T*`).join(" ")} ET`
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    return objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R
/Resources << /Font << /F1 3 0 R >> >> >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`
  let file = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`
  return `${file}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}

const rtf: Writer = (title, sections) =>
  `{\\rtf1\\ansi{\\info{\\title ${title}}}${sections.map((text) => `\\pard ${text}\\par\n`).join("")}}`

const eml: Writer = (title, sections) =>
  `From: Ann <ann@example.com>\r\nSubject: ${title}\r\n\r\n${sections.join("\r\n\r\n")}`

const ipynb: Writer = (title, sections) => {
  const cells = [`# ${title}`, ...sections].map((source) => ({ cell_type: "markdown", source }))
  return JSON.stringify({ nbformat: 4, metadata: {}, cells })
}

const xml: Writer = (title, sections) =>
  `<book><title>${title}</title>${sections.map((text) => `<para>${text}</para>`).join("")}</book>`

const vtt: Writer = (_, sections) =>
  `WEBVTT\n\n${sections.map((text, index) => `${String(index).padStart(2, "0")}:00.000 --> ${String(index).padStart(2, "0")}:59.000\n${text}`).join("\n\n")}\n`

const WRITERS: readonly [readonly [string, Writer], ...ReadonlyArray<readonly [string, Writer]>] = [
  ["md", markdown],
  ["txt", (title, sections) => [title, ...sections].join("\n\n")],
  ["html", html],
  ["csv", csv],
  ["json", json],
  ["pdf", pdf],
  ["rtf", rtf],
  ["eml", eml],
  ["ipynb", ipynb],
  ["xml", xml],
  ["vtt", vtt],
]
