import { type AgentOutput, asText } from '@jurist/core'
import { expectedOutputOf, signed, threeDigits } from '@jurist/experiment/internal/results'
import { type ItemResult, score } from '@jurist/experiment/result'
import { lineDiff } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PairDocument } from '../../src/answers/pair.js'
import { LinkChoice } from '../filters.js'
import { DiffLines } from '../item/diff-lines.js'
import { VerdictTree } from '../item/verdict-tree.js'
import { Part, TablePart } from '../parts.js'
import { changedAddress } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'
import { plainText } from '../text.js'
import { useIsNarrow } from './narrow.js'

interface PairPartProps {
  readonly document: PairDocument
  readonly query: URLSearchParams
}

export function PairVerdict({ document, query }: PairPartProps): JSX.Element {
  const { left, right } = document
  return (
    <>
      <Tasks left={left.item} right={right.item} />
      <Outputs document={document} query={query} />
      <Scores left={left.item} right={right.item} />
      <Part title="Verdicts">
        <div class="pair">
          {[left, right].map(({ item }, index) => (
            <div key={`${index}`}>
              {item === null || item.failure === null ? null : (
                <p class="note fail">
                  {item.failure.origin}: {plainText(item.failure.message)}
                </p>
              )}
              {item === null ? null : item.verdict === null ? (
                <p class="quiet">This trial was not judged.</p>
              ) : (
                <VerdictTree verdict={item.verdict} />
              )}
            </div>
          ))}
        </div>
      </Part>
    </>
  )
}

const comparedWith = { other: 'Each other', expected: 'The expected output' } as const

/**
 * The outputs of both agents. Words that differ are marked; with an expected output, also those that differ from it.
 */
function Outputs({ document: { left, right }, query }: PairPartProps): JSX.Element | null {
  const isNarrow = useIsNarrow()
  const [one, other] = [outputOf(left.item), outputOf(right.item)]
  const answer = expectedOf(left.item) ?? expectedOf(right.item)
  const isExpected = answer !== undefined && query.get('words') === 'expected'
  if (one === '' && other === '' && answer === undefined) return null
  return (
    <Part title="Outputs">
      {answer === undefined ? null : (
        <div class="row tools">
          <span class="quiet small">Words that differ from</span>
          <LinkChoice
            label="Words that differ from"
            chosen={isExpected ? 'expected' : 'other'}
            options={comparedWith}
            hrefOf={(value) => changedAddress({ words: value === 'expected' ? value : undefined })}
          />
        </div>
      )}
      {isExpected ? (
        <div class="pair">
          <TextDiff before={answer} after={one} label="Expected and left output" layout="unified" />
          <TextDiff before={answer} after={other} label="Expected and right output" layout="unified" />
        </div>
      ) : (
        <TextDiff before={one} after={other} label="Outputs" layout={isNarrow ? 'unified' : 'sides'} />
      )}
    </Part>
  )
}

/** Comparing longer strings keeps a browser busy for seconds. */
const maxShown = 200_000

function TextDiff(props: {
  readonly before: string
  readonly after: string
  readonly label: string
  readonly layout: 'unified' | 'sides'
}): JSX.Element {
  const { before, after, label, layout } = props
  const lines = useMemo(() => {
    const [old, now] = [before, after].map((text) => text.slice(0, maxShown).split('\n'))
    return lineDiff(old ?? [], now ?? [])
  }, [before, after])
  return (
    <div class="card file">
      {before === after ? <p class="quiet small unshown">Both are the same.</p> : null}
      <DiffLines lines={lines} layout={layout} label={label} />
    </div>
  )
}

interface ScoreRow {
  readonly name: string
  readonly before: number | null
  readonly after: number | null
}

const scoreColumns: readonly Column<ScoreRow>[] = [
  nameColumn('Judge', ({ name }) => name),
  numberColumn('Left', ({ before }) => score(before)),
  numberColumn('Right', ({ after }) => score(after)),
  numberColumn('Difference', ({ before, after }) =>
    signed(before === null || after === null ? null : after - before, threeDigits),
  ),
]

interface Items {
  readonly left: ItemResult | null
  readonly right: ItemResult | null
}

function Scores({ left, right }: Items): JSX.Element | null {
  const [before, after] = [left?.scores ?? {}, right?.scores ?? {}]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  if (names.length === 0) return null
  const rows = names.map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }))
  return <TablePart title="Scores" rows={rows} keyOf={({ name }) => name} columns={scoreColumns} />
}

/** The task, only once if both are the same, and the expected output. */
function Tasks({ left, right }: Items): JSX.Element {
  const tasks = [...new Set([left, right].flatMap((item) => (item === null ? [] : [plainText(item.task)])))]
  const answer = expectedOf(left) ?? expectedOf(right)
  const texts = [
    ...tasks.map((text) => ({ title: 'Task', text })),
    ...(answer === undefined ? [] : [{ title: 'Expected output', text: answer }]),
  ]
  return (
    <div class={texts.length > 1 ? 'pair' : undefined}>
      {texts.map(({ title, text }, index) => (
        <Part title={title} key={`${index}`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys */}
          <pre class="sheet card short" tabIndex={0}>
            {text.slice(0, maxShown)}
          </pre>
        </Part>
      ))}
    </div>
  )
}

function outputOf(item: ItemResult | null): string {
  return item?.detail?.kind === 'agent' ? textOf(item.detail.invocation.output) : ''
}

function expectedOf(item: ItemResult | null): string | undefined {
  const output = item === null ? null : expectedOutputOf(item)
  return output === null ? undefined : textOf(output)
}

function textOf(output: AgentOutput | undefined): string {
  return plainText(asText(output))
}
