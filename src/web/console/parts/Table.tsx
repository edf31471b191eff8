import { type Signal, useSignal } from "@preact/signals"
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, ChevronsUpDown, Columns3 } from "lucide"
import type { ComponentChildren } from "preact"
import { useId, useRef } from "preact/hooks"
import { formatCount } from "../../shared/Format.ts"
import { Icon } from "../../shared/Icon.tsx"
import { Scroller } from "../../shared/Scroller.tsx"
import { kept } from "../data/Kept.ts"
import { Button, IconButton } from "./Buttons.tsx"

/*
 * Tables whose rows can be put in order and chosen, of which one page is shown, and whose columns can be hidden.
 */

/** The most rows of a page. */
export const ROWS_MAX = 50

export interface Column<A> {
  readonly title: string
  readonly cell: (row: A) => ComponentChildren
  /** `number` aligns digits at the end; `main` is the cell that names the row; `actions` has buttons and no title. */
  readonly kind?: "text" | "number" | "main" | "actions"
  /** Whether the column stands below the name of the row on narrow screens. */
  readonly isExtra?: boolean
  /** Value by which the rows can be put in order, or the server's name for it. */
  readonly sort?: ((row: A) => string | number) | string
  /** Width of the column where its contents change while it is looked at, such as `8rem`. */
  readonly width?: string
}

/**
 * A column of a number, which can be put in order and stands below the name of the row on narrow screens. One that is not
 * known is shown as such, and counts least.
 */
export const numberColumn = <A,>(
  title: string,
  value: (row: A) => number | undefined,
  format: (value: number) => string = formatCount,
  more?: Partial<Column<A>>,
): Column<A> => ({
  title,
  kind: "number",
  isExtra: true,
  sort: (row) => value(row) ?? -1,
  cell: (row) => {
    const known = value(row)
    return known === undefined ? "–" : format(known)
  },
  ...more,
})

interface TableProps<A> {
  readonly class?: string
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  /** Buttons or a menu for each row, in a last column. */
  readonly actions?: (row: A) => ComponentChildren
  readonly choice?: Choice<A> | undefined
  /** Lets the person hide columns, by their titles. The menu stands above the column of actions. */
  readonly hidden?: Hidden
  /** Whether a button below adds rows, so that all are shown that are there. */
  readonly grows?: boolean
  /** Of rows that the server puts in order, and of which it gives one page. */
  readonly paging?: Paging
}

/** Which page of a table is shown, from 0, and in which order its rows are. */
export interface View {
  readonly page: number
  readonly order?: Order
}

interface Paging {
  readonly view: View
  readonly onView: (view: View) => void
  /** The number of rows of all pages. */
  readonly total: number
}

type Hidden = Signal<ReadonlyArray<string>>

/** The titles of the columns of a table that the person has hidden, which this browser keeps under a name. */
export const hiddenColumns = (name: string): Hidden =>
  kept<ReadonlyArray<string>>(`${name}-hidden`, [], (stored) =>
    Array.isArray(stored) ? stored.filter((title) => typeof title === "string") : undefined,
  )

const isHideable = <A,>({ kind = "text" }: Column<A>): boolean => kind === "text" || kind === "number"

interface ColumnsMenuProps<A> {
  readonly columns: ReadonlyArray<Column<A>>
  readonly hidden: Hidden
}

/** A button that opens the list of the columns, with a box for each that can be hidden. */
const ColumnsMenu = <A,>({ columns, hidden }: ColumnsMenuProps<A>) => {
  const id = useId()
  const show = (title: string, isShown: boolean): void => {
    const others = hidden.value.filter((other) => other !== title)
    hidden.value = isShown ? others : [...others, title]
  }
  return (
    <>
      <IconButton icon={Columns3} label="Columns" popovertarget={id} />
      <div id={id} popover="auto" class="menu raised">
        {columns.filter(isHideable).map(({ title }) => (
          <label key={title} class="entry row nowrap">
            <input
              type="checkbox"
              class="chooser"
              checked={!hidden.value.includes(title)}
              onChange={({ currentTarget }) => show(title, currentTarget.checked)}
            />
            {title}
          </label>
        ))}
      </div>
    </>
  )
}

interface Choice<A> {
  readonly chosen: Signal<ReadonlyArray<string>>
  readonly nameOf: (row: A) => string
}

interface Order {
  /** The column, by the server's name for its values, or by its title. */
  readonly by: string
  readonly isFalling: boolean
}

const collator = new Intl.Collator("en", { numeric: true })

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number" ? one - other : collator.compare(String(one), String(other))

const inOrder = <A,>(rows: ReadonlyArray<A>, sort: Column<A>["sort"], isFalling: boolean): ReadonlyArray<A> =>
  typeof sort !== "function"
    ? rows
    : rows.toSorted((a, b) => (isFalling ? compare(sort(b), sort(a)) : compare(sort(a), sort(b))))

const nameOf = <A,>({ sort, title }: Column<A>): string => (typeof sort === "string" ? sort : title)

interface TitleProps<A> {
  readonly column: Column<A>
  readonly order: Order | undefined
  readonly onOrder: (order: Order) => void
}

/** The title of a column; a button that puts the rows in its order where it has one, numbers from the largest. */
const Title = <A,>({ column, onOrder, order }: TitleProps<A>) => {
  const { kind, sort, title } = column
  if (kind === "actions") return <span class="visually-hidden">{title}</span>
  if (sort === undefined) return <>{title}</>
  const by = nameOf(column)
  const current = order?.by === by ? order : undefined
  const isFalling = current === undefined ? kind === "number" : !current.isFalling
  return (
    <button type="button" class="sort" onClick={() => onOrder({ by, isFalling })}>
      {title}
      <Icon nodes={current === undefined ? ChevronsUpDown : current.isFalling ? ArrowDown : ArrowUp} size={12} />
    </button>
  )
}

interface ChooserProps {
  readonly label: string
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
}

const Chooser = ({ isChosen, label, onChoose }: ChooserProps) => (
  <input
    type="checkbox"
    class="chooser"
    aria-label={label}
    checked={isChosen}
    onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
  />
)

interface BulkProps {
  readonly count: number
  readonly onClear: () => void
  readonly children: ComponentChildren
}

/** The bar above a list with what can be done with the rows that are chosen; nothing while none is. */
export const Bulk = ({ children, count, onClear }: BulkProps) =>
  count === 0 ? null : (
    <section class="bulk row" aria-label="Selected">
      <strong>{formatCount(count)} selected</strong>
      {children}
      <Button small kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  )

const classOf = <A,>({ isExtra, kind = "text" }: Column<A>): string => `${kind}${isExtra === true ? " extra" : ""}`

interface BelowProps<A> {
  readonly columns: ReadonlyArray<Column<A>>
  readonly row: A
}

/** The values of a row for which a narrow screen has no columns. */
const Below = <A,>({ columns, row }: BelowProps<A>) => {
  const extra = columns.filter(({ isExtra }) => isExtra === true)
  return extra.length === 0 ? null : (
    <dl class="below soft small">
      {extra.map(({ cell, title }) => (
        <div key={title} class="row spread">
          <dt>{title}</dt>
          <dd>{cell(row)}</dd>
        </div>
      ))}
    </dl>
  )
}

interface PagerProps {
  readonly label: string
  readonly page: number
  readonly total: number
  readonly onPage: (page: number) => void
}

/** Says which rows of how many are shown, and leads to those before and after them. */
const Pager = ({ label, onPage, page, total }: PagerProps) => {
  const last = Math.min(total, (page + 1) * ROWS_MAX)
  return (
    <nav class="row pager" aria-label={`Pages: ${label}`}>
      <output class="soft small number">
        {formatCount(page * ROWS_MAX + 1)}–{formatCount(last)} of {formatCount(total)}
      </output>
      <IconButton icon={ChevronLeft} label="Previous page" disabled={page === 0} onClick={() => onPage(page - 1)} />
      <IconButton icon={ChevronRight} label="Next page" disabled={last === total} onClick={() => onPage(page + 1)} />
    </nav>
  )
}

interface Row {
  readonly id: string
}

/** Rows of the same kind. It scrolls sideways where the screen is narrow. */
export const Table = <A extends Row>(props: TableProps<A>) => {
  const { actions, choice, class: name = "", grows = false, hidden, label, paging } = props
  const all: ReadonlyArray<Column<A>> =
    actions === undefined ? props.columns : [...props.columns, { title: "Actions", kind: "actions", cell: actions }]
  const columns = all.filter((column) => !isHideable(column) || hidden?.value.includes(column.title) !== true)
  const own = useSignal<View>({ page: 0 })
  const { onView, total, view } = paging ?? {
    total: props.rows.length,
    view: own.value,
    onView: (next: View) => void (own.value = next),
  }
  const { order } = view
  const by = columns.find((column) => nameOf(column) === order?.by)
  const page = Math.max(0, Math.min(view.page, Math.ceil(total / ROWS_MAX) - 1))
  const isPaged = !grows && total > ROWS_MAX
  const ordered = inOrder(props.rows, by?.sort, order?.isFalling === true)
  const rows = isPaged && paging === undefined ? ordered.slice(page * ROWS_MAX).slice(0, ROWS_MAX) : ordered
  const top = useRef<HTMLElement>(null)
  const turnTo = (next: number): void => {
    onView({ ...view, page: next })
    top.current?.scrollIntoView()
  }
  const keys = rows.map(({ id }) => id)
  const chosen = choice?.chosen.value ?? []
  const choose = (these: ReadonlyArray<string>, isChosen: boolean): void => {
    if (choice === undefined) return
    const others = chosen.filter((key) => !these.includes(key))
    choice.chosen.value = isChosen ? [...others, ...these] : others
  }
  const directionOf = (column: Column<A>) =>
    column.sort === undefined || column !== by ? undefined : order?.isFalling === true ? "descending" : "ascending"
  return (
    <>
      <Scroller label={label} class={`box ${name}`} of={top}>
        <table class="data">
          <thead>
            <tr>
              {choice !== undefined && (
                <th scope="col" class="choice">
                  <Chooser
                    label={`Select all: ${label}`}
                    isChosen={keys.length > 0 && keys.every((key) => chosen.includes(key))}
                    onChoose={(isChosen) => choose(keys, isChosen)}
                  />
                </th>
              )}
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  class={classOf(column)}
                  style={column.width && { "--width": column.width }}
                  aria-sort={directionOf(column)}
                >
                  <Title column={column} order={order} onOrder={(next) => onView({ page: 0, order: next })} />
                  {column.kind === "actions" && hidden !== undefined && <ColumnsMenu columns={all} hidden={hidden} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                {choice !== undefined && (
                  <td class="choice">
                    <Chooser
                      label={`Select ${choice.nameOf(row)}`}
                      isChosen={chosen.includes(row.id)}
                      onChoose={(isChosen) => choose([row.id], isChosen)}
                    />
                  </td>
                )}
                {columns.map((column) =>
                  column.kind === "main" ? (
                    <th key={column.title} scope="row" class={classOf(column)}>
                      {column.cell(row)}
                      <Below columns={columns} row={row} />
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
      {isPaged && <Pager label={label} page={page} total={total} onPage={turnTo} />}
    </>
  )
}
