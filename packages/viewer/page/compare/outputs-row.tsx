import type { JSX } from 'preact'
import type { OutputCell, OutputRow, OutputsDocument } from '../../src/answers/outputs.js'
import { linkTo, trialPath } from '../router.js'
import { plainText, runName } from '../text.js'
import { Attempts } from './attempts.js'

interface RowProps {
  readonly row: OutputRow
  readonly rowIndex: number
  readonly runs: OutputsDocument['runs']
  readonly hasExpected: boolean
}

/** An item of the matrix: its task, the expected output, and the beginning of each run's output. */
export function OutputsRow({ row, rowIndex, runs, hasExpected }: RowProps): JSX.Element {
  const { itemId, task, expected, cells } = row
  const [first, second] = runs
  return (
    <tr aria-rowindex={rowIndex}>
      <th scope="row" class="name-cell" title={itemId}>
        {first === undefined ? itemId : <a href={pairOf(itemId, first.id, (second ?? first).id)}>{itemId}</a>}
      </th>
      <td class="input">
        <div class="cut">{plainText(task)}</div>
      </td>
      {hasExpected ? (
        <td>
          <div class="cut">{plainText(expected ?? '')}</div>
        </td>
      ) : null}
      {cells.map((cell, at) => {
        const run = runs[at]
        if (run === undefined || first === undefined) return null
        if (cell === null)
          return (
            <td class="quiet" key={run.id}>
              absent
            </td>
          )
        const href = at === 0 ? trialOf(run.id, itemId, cell) : pairOf(itemId, first.id, run.id, cell)
        return (
          <td key={run.id}>
            <Attempts
              label={`Attempts of ${runName(run)} at ${itemId}`}
              attempts={cell.attempts}
              hrefOf={(repetition) => trialOf(run.id, itemId, { repetition })}
            />
            <a class="cut" href={href} title="Open the whole output">
              {plainText(cell.output) || <span class="quiet">no output</span>}
            </a>
          </td>
        )
      })}
    </tr>
  )
}

function trialOf(run: string, itemId: string, { repetition }: Pick<OutputCell, 'repetition'>): string {
  return linkTo(trialPath({ run, itemId, repetition }))
}

/** The trials of two runs side by side; without an attempt, those that show what changed. */
function pairOf(itemId: string, left: string, right: string, cell?: OutputCell): string {
  return linkTo(['compare', left, right, 'items', itemId], { right: cell?.repetition.toString() })
}
