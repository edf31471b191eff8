import { Plus, X } from "lucide"
import type { ComponentChildren } from "preact"
import { Button, IconButton } from "./Buttons.tsx"

interface RowFieldsProps<A> {
  /** A row in a word, such as `header`. */
  readonly noun: string
  readonly rows: ReadonlyArray<A>
  readonly onRows: (rows: ReadonlyArray<A>) => void
  /** A row that is added. */
  readonly first: A
  /** Whether the last row stays. */
  readonly hasOne?: boolean
  readonly children: (row: A, change: (row: A) => void, at: number) => ComponentChildren
}

/** Rows of fields, which are added and removed. */
export const RowFields = <A extends object>(props: RowFieldsProps<A>) => {
  const { children, first, hasOne = false, noun, onRows, rows } = props
  return (
    <>
      {rows.map((row, at) => (
        <div key={at} class="row row-fields">
          {children(row, (changed) => onRows(rows.with(at, changed)), at)}
          <IconButton
            icon={X}
            label={`Remove ${noun} ${at + 1}`}
            disabled={hasOne && rows.length === 1}
            onClick={() => onRows(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button small icon={Plus} onClick={() => onRows([...rows, first])}>
        {`Add ${noun}`}
      </Button>
    </>
  )
}
