import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { shade } from '../charts.js'
import { Part } from '../parts.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'

type Report = NonNullable<CalibrationDocument['report']>

/** The expected labels against the judge's, with recall and precision of each label. */
export function Confusion({ report }: { readonly report: Report }): JSX.Element {
  const { labels } = report.confusion
  return (
    <Part title="Confusion matrix">
      {labels.length === 0 ? <p class="empty">No trial was scored.</p> : null}
      <Table label="Confusion matrix" rows={labels} keyOf={(label) => label} columns={columnsFor(report)} />
    </Part>
  )
}

function columnsFor({ confusion, perClass }: Report): readonly Column<string>[] {
  const { labels, matrix, unscored } = confusion
  const most = Math.max(1, ...matrix.flat())
  const trialsOf = (expected: string, judged: string) => matrix[labels.indexOf(expected)]?.[labels.indexOf(judged)] ?? 0
  return [
    nameColumn('Expected', (label) => label),
    ...labels.map((judged) =>
      numberColumn<string>(`judged ${judged}`, (expected) => grouped(trialsOf(expected, judged)), {
        background: (expected) => shade(expected === judged ? 'pass' : 'fail', trialsOf(expected, judged) / most),
      }),
    ),
    numberColumn('unscored', (label) => grouped(ownValue(unscored, label) ?? 0), { class: 'quiet' }),
    numberColumn('recall', (label) => percent(ownValue(perClass, label)?.recall)),
    numberColumn('precision', (label) => percent(ownValue(perClass, label)?.precision)),
  ]
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
