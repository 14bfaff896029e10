import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeAgent } from '@jurist/bridges/claude-agent'
import { fail, jury } from '@jurist/core'
import { runExperiment } from '@jurist/experiment'
import { fileStore } from '@jurist/experiment/store'

/** The id of a run with one trial `fix-totals`, whose journal the bridge of Claude's SDK wrote. */
export async function makeClaudeJournal(results: string, turns: number): Promise<string> {
  const run = runExperiment({
    name: `claude-${turns}`,
    dataset: [{ id: 'fix-totals', task: prompt }],
    agent: claudeAgent({ query: () => messagesOf(turns), permissions: 'workspace' }),
    jury: jury({ judges: { tests: async () => fail('2 of 14 tests fail') } }),
    store: fileStore(results, { sync: false }),
  })
  const { id, experimentName, items } = await run.result
  const { journalPath } = items[0] ?? {}
  if (typeof journalPath !== 'string') throw new Error('the agent has left no journal')
  spreadOverTime(join(results, experimentName, id, journalPath))
  return id
}

const prompt = `# Fix the totals

The totals of an invoice are off by a cent when a discount is applied.

- Count in **whole cents**.
- Run \`npm test\` before you finish.

| input | expected |
|-------|---------:|
| 0.1 + 0.2 | 0.30 |`

/** Scripted answers come at the same moment. A journal of an agent has seconds between its events. */
function spreadOverTime(file: string): void {
  let time = Date.UTC(2026, 10, 21, 9, 15)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const spread = lines.map((line, index) => {
    const event = JSON.parse(line)
    if (event.at === undefined) return line
    time += event.type === 'tool-result' ? 900 + (index % 11) * 420 : 300 + (index % 7) * 180
    return JSON.stringify({ ...event, at: new Date(time).toISOString() })
  })
  writeFileSync(file, `${spread.join('\n')}\n`)
}

const esc = '\u001b'
const passed = `${esc}[1m${esc}[46m RUN ${esc}[49m${esc}[22m ${esc}[36mv4.1.12${esc}[39m\n\n ${esc}[32m✓${esc}[39m tests/orders.test.js ${esc}[2m(14 tests)${esc}[22m\n\n${esc}[2m Test Files ${esc}[22m ${esc}[1m${esc}[32m1 passed${esc}[39m${esc}[22m`
const missed = [
  'Exit code 1',
  `${esc}[1m${esc}[46m RUN ${esc}[49m${esc}[22m ${esc}[36mv4.1.12${esc}[39m`,
  ...Array.from({ length: 24 }, (_, at) => ` ${esc}[32m✓${esc}[39m orders > case ${at}${esc}[33m 3ms${esc}[39m`),
  ` ${esc}[31m✗${esc}[39m orders > total of a discount ${esc}[90m12ms${esc}[39m`,
  `${esc}[31m${esc}[1mAssertionError${esc}[22m: expected 29.97 to be 29.96${esc}[39m`,
  `${esc}[32m- Expected  29.96${esc}[39m`,
  `${esc}[31m+ Received  29.97${esc}[39m`,
  `${esc}[36m ❯ tests/orders.test.js:${esc}[2m41:18${esc}[22m${esc}[39m`,
].join('\n')

interface Use {
  readonly name: string
  readonly input: object
  readonly content: string
  readonly isFailed?: boolean
}

/** The calls that are repeated; every 40th call of the tests fails. */
function useOf(turn: number): Use {
  const file_path = `/work/src/orders-${turn % 9}.js`
  const uses: readonly Use[] = [
    {
      name: 'Read',
      input: { file_path },
      content: '     1\texport function total(order) {\n     2\t  return order.lines.length\n     3\t}',
    },
    { name: 'Grep', input: { pattern: 'total\\\\(', path: 'src' }, content: 'src/orders.js:4\nsrc/invoice.js:17' },
    {
      name: 'Edit',
      input: {
        file_path,
        old_string: 'const sum = lines.reduce((all, line) => all + line.price * line.count, 0)\nreturn sum',
        new_string:
          'const cents = lines.reduce((all, line) => all + Math.round(line.price * 100) * line.count, 0)\nreturn cents / 100',
      },
      content: `The file ${file_path} has been updated.`,
    },
    {
      name: 'Bash',
      input: { command: 'npm test -- --run tests/orders.test.js', description: 'Run the tests' },
      content: passed,
    },
  ]
  const use = uses[turn % uses.length] ?? uses[0]
  if (use === undefined) throw new Error('there is no call')
  return turn % 40 === 39 ? { ...use, content: missed, isFailed: true } : use
}

/** A message of the SDK. */
interface Message {
  readonly type: string
  readonly [name: string]: unknown
}

async function* messagesOf(turns: number): AsyncGenerator<Message> {
  yield { type: 'system', subtype: 'init', model: 'claude-test', session_id: 's-1', tools: ['Bash', 'Edit'] }
  for (let turn = 0; turn < turns; turn++) {
    const { name, input, content, isFailed = false } = useOf(turn)
    const id = `toolu_${turn}`
    const said =
      turn % 5 === 0
        ? [{ type: 'text', text: `I look at **step ${turn}**:\n\n1. read \`orders.js\`\n2. count in cents` }]
        : []
    const thought =
      turn % 12 === 1
        ? [{ type: 'thinking', thinking: 'The sum is made of floating-point numbers, so a cent may be lost.' }]
        : []
    const usage = { input_tokens: 900 + turn, output_tokens: 120 + (turn % 50), cache_read_input_tokens: 30_000 }
    yield {
      type: 'assistant',
      session_id: 's-1',
      message: {
        id: `msg_${turn}`,
        model: 'claude-test',
        usage,
        content: [...thought, ...said, { type: 'tool_use', id, name, input }],
      },
    }
    yield {
      type: 'user',
      session_id: 's-1',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isFailed }] },
    }
  }
  yield {
    type: 'assistant',
    session_id: 's-1',
    message: {
      id: 'msg_end',
      model: 'claude-test',
      content: [
        { type: 'text', text: '## Done\n\nTotals are counted in cents. See [the rules](https://example.com/rules).' },
      ],
    },
  }
  yield {
    type: 'result',
    subtype: 'success',
    session_id: 's-1',
    is_error: false,
    num_turns: turns,
    result: 'Done',
    total_cost_usd: 1.25,
    usage: {},
  }
}
