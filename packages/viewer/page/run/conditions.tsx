import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { grouped } from '@jurist/experiment/internal/results'
import { duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import { Facts, TablePart } from '../parts.js'
import { linkTo } from '../router.js'
import { type Column, numberColumn } from '../table.js'
import { sessionText } from '../text.js'

export function Conditions({ document: { run } }: { readonly document: RunDocument }): JSX.Element {
  return (
    <>
      <Facts title="Conditions" facts={inWords(run.conditions)} />
      {run.jury === null ? null : <JuryFacts jury={run.jury} />}
      <Facts title="Configuration" facts={inWords(run.configuration)} />
      <Facts title="Environment" facts={inWords({ ...run.environment, ...run.code })} />
      <Facts title="Dataset" facts={inWords({ ...run.dataset })} />
      <Facts title="Metadata" facts={run.metadata} />
    </>
  )
}

/** Facts for people: words, times with their unit, beginnings of hashes, and nothing that is not set. */
function inWords(facts: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const set = Object.entries(facts).filter(([, value]) => value !== null && JSON.stringify(value) !== '[]')
  return Object.fromEntries(
    set.map(([name, value]) => {
      const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
      if (typeof value === 'number' && words.endsWith(' ms')) return [words.slice(0, -3), duration(value)]
      if (typeof value === 'boolean') return [words, value ? 'yes' : 'no']
      if (isPlainObject(value))
        return [
          words,
          Object.entries(inWords(value))
            .map(([key, one]) => `${key} ${typeof one === 'string' ? one : JSON.stringify(one)}`)
            .join(', '),
        ]
      return [words, typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value]
    }),
  )
}

type Jury = NonNullable<RunDocument['run']['jury']>

function JuryFacts({ jury }: { readonly jury: Jury }): JSX.Element {
  const { name, fingerprint, tiers, judges } = jury
  const policies = tiers?.map((tier) => `${tier.name} (${tier.policy})`).join(', ')
  return (
    <TablePart title="Jury" rows={judges} keyOf={({ path }) => path} columns={judgeColumns}>
      <p class="quiet small">
        {name}, fingerprint <span class="code">{fingerprint.slice(0, 16)}</span>
        {policies === undefined ? '' : `; tiers: ${policies}`}
      </p>
    </TablePart>
  )
}

const judgeColumns: readonly Column<Jury['judges'][number]>[] = [
  { title: 'Path', isRowHeading: true, cell: ({ path }) => path.replace(/^\//, '') },
  { title: 'Judge', cell: (judge) => judge.name },
  { title: 'Kind', cell: ({ kind }) => kind },
  numberColumn('Weight', ({ weight }) => weight),
]

const mostShown = 6

/** The other variants of the session, on one line. */
export function Variants({ document: { run, variants } }: { readonly document: RunDocument }): JSX.Element | null {
  if (variants.length < 2 || run.session === null) return null
  const others = variants.filter(({ id }) => id !== run.id)
  const session = linkTo(['sessions', run.experimentName, run.session])
  return (
    <p class="row variants-line small">
      <a href={session}>
        All {grouped(variants.length)} variants of the session {sessionText(run.session)}
      </a>
      <a href={linkTo(['sessions', run.experimentName, run.session], { view: 'items' })}>Items of all variants</a>
      <a href={linkTo(['outputs', ...variants.map(({ id }) => id)])}>Outputs of all variants</a>
      {others.slice(0, mostShown).map(({ id, variant, passRate }) => (
        <span key={id}>
          <a href={linkTo(['runs', id])}>{variant ?? id}</a> <span class="quiet">{percent(passRate)}</span>
        </span>
      ))}
      {others.length > mostShown ? <span class="quiet">and {grouped(others.length - mostShown)} more</span> : null}
    </p>
  )
}
