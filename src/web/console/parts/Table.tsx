import type { ComponentChildren } from "preact"
import { Scroller } from "../../shared/Scroller.tsx"

export interface Column<A> {
  readonly title: string
  readonly cell: (row: A) => ComponentChildren
  /** `number` aligns digits at the end; `main` is the cell that names the row; `actions` has buttons and no title. */
  readonly kind?: "text" | "number" | "main" | "actions"
  /** Whether the column is left out on narrow screens. */
  readonly isExtra?: boolean
}

interface TableProps<A> {
  readonly class?: string
  /** Says what the rows are, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly keyOf: (row: A) => string
}

const classOf = <A,>({ isExtra, kind = "text" }: Column<A>): string => `${kind}${isExtra === true ? " extra" : ""}`

/** Rows of the same kind. It scrolls sideways where the screen is narrow. */
export const Table = <A,>({ class: name = "", columns, keyOf, label, rows }: TableProps<A>) => (
  <Scroller label={label} class={`box ${name}`}>
    <table class="data">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.kind === "actions" ? <span class="visually-hidden">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) =>
              column.kind === "main" ? (
                <th key={column.title} scope="row" class={classOf(column)}>
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
)
