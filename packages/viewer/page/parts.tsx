import type { Json } from '@jurist/core'
import { type UndecidedJudge, undecidedJudgeText } from '@jurist/experiment/internal/results'
import type { ComponentChildren, JSX } from 'preact'
import { Scroller, Table, type TableProps } from './table.js'
import { plainText } from './text.js'

export function Part(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  const { title, children } = props
  return (
    <section class="part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function TablePart<Row>({
  title,
  children,
  ...table
}: Omit<TableProps<Row>, 'label'> & { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <Part title={title}>
      {children}
      <Table label={title} {...table} />
    </Part>
  )
}

export interface Figure {
  readonly name: string
  readonly value: string
  readonly basis?: string
  readonly href?: string
  /** Whether a narrow window leaves it out. */
  readonly isMinor?: boolean
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="figures">
      {figures.map(({ name, value, basis, href, isMinor = false }) => (
        <div key={name} class={isMinor ? 'middle-only' : undefined}>
          <dt class="quiet small">{name}</dt>
          <dd>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
          <dd>{basis}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Facts(props: {
  readonly title: string
  readonly facts: Readonly<Record<string, Json>>
}): JSX.Element | null {
  const { title, facts } = props
  const entries = Object.entries(facts)
  if (entries.length === 0) return null
  return (
    <Part title={title}>
      <Scroller label={title}>
        <table class="compact">
          <tbody>
            {entries.map(([name, value]) => (
              <tr key={name}>
                <th scope="row" style={{ width: '14rem' }} class="quiet">
                  {name}
                </th>
                <td class="code" style={{ overflowWrap: 'anywhere' }}>
                  {typeof value === 'string' ? value : JSON.stringify(value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </Part>
  )
}

export function Notes({ notes }: { readonly notes: readonly string[] }): JSX.Element | null {
  return notes.length === 0 ? null : (
    <Part title="Notes">
      <List lines={notes} />
    </Part>
  )
}

export function Warnings({ warnings }: { readonly warnings: readonly string[] }): JSX.Element | null {
  return warnings.length === 0 ? null : (
    <section class="note fail" aria-label="Warnings of the store">
      <List lines={warnings} />
    </section>
  )
}

/** The warning about trials whose tests passed whatever they expected. */
export function TestsCannotFail({ text }: { readonly text: string }): JSX.Element | null {
  return text === '' ? null : (
    <section class="note fail" aria-label="Tests that could not fail">
      <strong>{plainText(text)}</strong>
    </section>
  )
}

/** The judges that never judged or left much undecided, with what to do about it. */
export function UndecidedJudges(props: {
  readonly judges: readonly UndecidedJudge[]
  /** The name of the run, if there are several. */
  readonly run?: string
}): JSX.Element | null {
  const { judges, run = '' } = props
  if (judges.length === 0) return null
  const isBad = judges.some(({ decided, isAllowed }) => decided === 0 && !isAllowed)
  return (
    <section
      class={isBad ? 'note fail' : 'note'}
      aria-label={`Judges that decided too little${run === '' ? '' : `, ${run}`}`}
    >
      <ul class="plain">
        {judges.map((judge) => (
          <li key={judge.path}>
            <strong>
              {run === '' ? '' : `${run}: `}
              {plainText(undecidedJudgeText(judge))}
            </strong>
            {judge.remedy === '' ? null : <div class="small">{judge.remedy}</div>}
          </li>
        ))}
      </ul>
    </section>
  )
}

export function List({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  return (
    <ul class="plain">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
