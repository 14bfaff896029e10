import { counted, type VariantFigures } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { SessionDocument } from '../../src/answers/session.js'
import { Loaded, useDocument } from '../documents.js'
import { type Crumb, Head, NotFound, Tabs, type Views } from '../navigation.js'
import { Part, TestsCannotFail, UndecidedJudges } from '../parts.js'
import { linkTo } from '../router.js'
import { ItemsTable } from '../run/items-table.js'
import { dateAndTime, plainText, sessionText } from '../text.js'
import { PairsMatrix } from './pairs-matrix.js'
import { ParetoChart } from './pareto-chart.js'
import { VariantsTable } from './variants-table.js'

const whileRunning = ({ variants }: SessionDocument) =>
  variants.some(({ status }) => status === 'running') ? 2_000 : undefined

/** The variants of a session, or chosen runs, side by side. `path` is the path of the document. */
export function SessionView(props: { readonly path: readonly string[]; readonly query: URLSearchParams }): JSX.Element {
  const { path, query } = props
  const loading = useDocument<SessionDocument>(path, undefined, whileRunning)
  return (
    <Loaded of={loading} missing={<NotFound text="This store does not have these runs." />}>
      {(document) => (
        <>
          {document.testsCannotFail.map(({ run, text }) => (
            <TestsCannotFail key={run} text={`${run}: ${text}`} />
          ))}
          {document.undecidedJudges.map(({ run, judges }) => (
            <UndecidedJudges key={run} run={run} judges={judges} />
          ))}
          <SessionHead document={document} />
          <LiftSentences of={document.lift} />
          <Tabs
            label="Views of these runs"
            views={views}
            current={query.get('view') === 'items' ? 'items' : undefined}
            hrefOf={(view) => linkTo(path, { view })}
          />
          {query.get('view') === 'items' ? (
            <ItemsTable
              runs={document.variants.map(({ id }) => id)}
              revision={document.variants.map(({ status, counts }) => `${status} ${counts.run}`).join()}
              trials={Math.max(...document.variants.map(({ counts }) => counts.run))}
              isRepeated={document.variants.some(({ repeated }) => repeated !== null)}
              query={query}
            />
          ) : (
            <Variants document={document} names={variantNames(document.variants)} query={query} />
          )}
        </>
      )}
    </Loaded>
  )
}

function LiftSentences({ of: sentences }: { readonly of: SessionDocument['lift'] }): JSX.Element | null {
  if (sentences === null) return null
  const [headline, ...notes] = sentences
  return (
    <Part title="Does it help?">
      <p>
        <strong>{plainText(headline ?? '')}</strong>
      </p>
      {notes.map((note) => (
        <p key={note}>{plainText(note)}</p>
      ))}
    </Part>
  )
}

const views: Views = [
  [undefined, 'Variants'],
  ['items', 'Items'],
]

function SessionHead({ document: { session, experimentName, variants } }: { readonly document: SessionDocument }) {
  const title = session === null ? counted(variants.length, 'run') : `Session ${sessionText(session)}`
  const experiment: readonly Crumb[] =
    experimentName === null ? [] : [{ name: experimentName, href: linkTo(['experiments', experimentName]) }]
  return (
    <Head crumbs={[{ name: 'Runs', href: '#/' }, ...experiment, { name: title }]}>
      <span class="quiet">{session === null ? 'side by side' : counted(variants.length, 'variant')}</span>
      <a class="small" href={linkTo(['outputs', ...variants.map(({ id }) => id)])}>
        Outputs side by side
      </a>
    </Head>
  )
}

function Variants(props: {
  readonly document: SessionDocument
  readonly names: readonly string[]
  readonly query: URLSearchParams
}): JSX.Element {
  return (
    <>
      <VariantsTable {...props} />
      <div class="columns session-charts">
        <Part title="Cost and pass rate">
          <ParetoChart {...props} />
        </Part>
        {props.document.pairs.length === 0 ? null : (
          <Part title="Pairs">
            <PairsMatrix {...props} />
          </Part>
        )}
      </div>
    </>
  )
}

/**
 * Returns a name for each run: its variant, with the experiment or the date if variants alone do not distinguish the
 * runs.
 */
function variantNames(variants: readonly VariantFigures[]): readonly string[] {
  const namings: readonly ((run: VariantFigures) => string)[] = [
    ({ variant, experimentName }) => variant ?? experimentName,
    ({ variant, experimentName }) => (variant === null ? experimentName : `${experimentName}, ${variant}`),
    ({ variant, experimentName, startedAt }) => `${variant ?? experimentName}, ${dateAndTime(startedAt)}`,
    ({ id }) => id,
  ]
  for (const naming of namings) {
    const names = variants.map(naming)
    if (new Set(names).size === names.length) return names
  }
  return variants.map(({ id }) => id)
}
