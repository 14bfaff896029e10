import { runJudge } from '@jurist/core'
import { toolCalls as judgeOf } from '@jurist/core/tools'
import { median, row } from './measure.mjs'

/** How long does it take to match 1,000 expected calls of one tool with 1,000 actual ones, in process? */
export async function toolCalls() {
  const inputs = Array.from({ length: 1_000 }, (_, index) => ({
    id: index,
    note: { text: `order ${index % 7}` },
    tags: [1, 2],
  }))
  const toolSteps = inputs.map((input) => ({ name: 'book', input, status: 'completed', turn: 0 }))
  const expected = inputs.map(({ id }) => ({ name: 'book', input: { id, tags: [1, 2] } })).reverse()
  const rows = []
  for (const order of ['any', 'in-order']) {
    const judge = judgeOf({ expected, inputs: 'contains', order })
    const times = []
    for (let round = 0; round < 8; round++) {
      const startedAt = performance.now()
      await runJudge(judge, { toolSteps })
      if (round > 0) times.push(performance.now() - startedAt)
    }
    const ms = median(times)
    rows.push(
      row(
        `1,000 expected against 1,000 actual tool calls, ${order}`,
        `${Math.round(ms)} ms`,
        'at most 100 ms',
        ms <= 100,
      ),
    )
  }
  return rows
}
