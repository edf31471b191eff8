/** A piece of text as a PDF places it. Lengths are in points, and `y` grows downwards from the page's top edge. */
export interface Run {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
  readonly font: string
  readonly monospaced: boolean
  readonly rightToLeft: boolean
  readonly rotated: boolean
}
