import { marked } from "marked"

/* What many widgets do, to compare with: the whole answer is turned into HTML anew for each piece. */

let text = ""
const box = document.createElement("div")
document.body.append(box)

Object.assign(window, {
  addPiece: (piece: string): void => {
    text += piece
    box.innerHTML = marked.parse(text, { async: false })
    scrollTo(0, document.body.scrollHeight)
  },
})
