/* Answers of 15 kB, longer than nearly all of them, as models write them. */

const LENGTH = 15_000
const SENTENCE =
  "The **harbour** of Morlaix opens at noon; see [the table](https://parley.example/x) and `sail()` for what it *costs*. "

const of = (part: (index: number) => string): string => {
  let text = ""
  for (let index = 0; text.length < LENGTH; index += 1) text += part(index)
  return text.slice(0, LENGTH)
}

export const answers: Readonly<Record<string, string>> = {
  mixed: of((index) => {
    const parts = [
      `## Part ${index}\n\n${SENTENCE.repeat(3)}\n\n`,
      `${SENTENCE.repeat(2)}\n\n- the first **point** of ${index}\n- the second\n- the third \`point\`\n\n`,
      `\`\`\`js\n${Array.from({ length: 8 }, (_, line) => `const harbour${line} = open(${index}, ${line})`).join("\n")}\n\`\`\`\n\n`,
      `| from | to | at |\n| --- | --- | --- |\n${Array.from({ length: 5 }, (_, row) => `| here | island ${row} | ${row + 12}:00 |`).join("\n")}\n\n`,
    ]
    return parts[index % parts.length] ?? ""
  }),
  list: of((index) => `- item ${index}: ${SENTENCE.slice(0, 60)}\n`),
  code: `\`\`\`js\n${of((index) => `const harbour${index} = open(${index}) // at noon\n`)}`,
  paragraph: of(() => SENTENCE),
  table: `| from | to | at |\n| --- | --- | --- |\n${of((index) => `| here | **island** ${index} | noon |\n`)}`,
}
