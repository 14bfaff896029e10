import { asText } from '@jurist/core'
import {
  expectedOutputOf,
  grouped,
  outputOf,
  signed,
  sourcesOf,
  threeDigits,
} from '@jurist/experiment/internal/results'
import { type ItemResult, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { PairDocument } from '../../src/answers/comparison.js'
import { LinkChoice } from '../filters.js'
import { DiffLines } from '../item/diff-lines.js'
import { LongProse } from '../item/long-texts.js'
import { Texts } from '../item/texts-part.js'
import { VerdictTree } from '../item/verdict-tree.js'
import { Part, TablePart } from '../parts.js'
import { changedAddress } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'
import { plainText, runName } from '../text.js'
import { useIsNarrow } from './pair-links.js'

interface PairPartProps {
  readonly document: PairDocument
  readonly query: URLSearchParams
}

export function PairVerdict({ document, query }: PairPartProps): JSX.Element {
  const { left, right } = document
  return (
    <>
      <Part title="Verdicts">
        <div class="pair">
          {[left, right].map(({ run, item }, index) => (
            <div key={`${index}`}>
              <p class="narrow-only quiet">{runName(run)}</p>
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
      <Scores left={left.item} right={right.item} />
      <Outputs document={document} query={query} />
      <Asked left={left.item} right={right.item} />
    </>
  )
}

const comparedWith = { other: 'Each other', expected: 'The expected output' } as const

/**
 * The outputs of both agents. Words that differ are marked; with an expected output, also those that differ from it.
 */
function Outputs({ document: { left, right }, query }: PairPartProps): JSX.Element | null {
  const isNarrow = useIsNarrow()
  const [one, other] = [textOf(left.item), textOf(right.item)]
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
  return (
    <div class="card file">
      {before === after ? (
        <details>
          <summary class="quiet small unshown">Both are the same.</summary>
          <LongProse text={before} />
        </details>
      ) : (
        <DiffLines before={before.slice(0, maxShown)} after={after.slice(0, maxShown)} layout={layout} label={label} />
      )}
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
  const changed = rows.filter(({ before, after }) => before !== after)
  const same = rows.length - changed.length
  if (changed.length === 0) return <p class="quiet part">All {grouped(rows.length)} scores are the same.</p>
  return (
    <TablePart title="Changed scores" rows={changed} keyOf={({ name }) => name} columns={scoreColumns}>
      {same === 0 ? null : <p class="quiet small">and {grouped(same)} unchanged</p>}
    </TablePart>
  )
}

/** The task, only once if both trials were asked the same, with the sources and the expected output. */
function Asked({ left, right }: Items): JSX.Element {
  const asked = [left, right].flatMap((item) =>
    item === null ? [] : [{ task: item.task, sources: sourcesOf(item), expected: expectedOutputOf(item) }],
  )
  const [first, second] = asked
  const isSame = JSON.stringify(first) === JSON.stringify(second)
  return (
    <div class={asked.length > 1 && !isSame ? 'pair' : undefined}>
      {(isSame ? asked.slice(0, 1) : asked).map((texts, index) => (
        <div key={index}>
          <Texts {...texts} output={undefined} turns={[]} user={undefined} />
        </div>
      ))}
    </div>
  )
}

function textOf(item: ItemResult | null): string {
  return item === null ? '' : plainText(asText(outputOf(item)))
}

function expectedOf(item: ItemResult | null): string | undefined {
  const output = item === null ? null : expectedOutputOf(item)
  return output === null ? undefined : plainText(asText(output))
}
