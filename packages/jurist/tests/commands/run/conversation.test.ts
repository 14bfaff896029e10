import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../../../../bridges/testing/index.js'
import { project } from '../../project.js'

const agent = `export default ({ message, turns }) => {
  if (message === 'crash') throw new Error('out of paper')
  return { text: 'You said ' + message + ', please.', costUsd: 0.5 }
}
`
const yaml = (user: string, jury: string, rest = '') => `experiments:
  talk:
    dataset:
      - { id: one, task: talk, metadata: { scenario: { goal: g, messages: [Hello, Goodbye] } } }
    agent: { conversation: { module: ./agent.mjs }, user: ${user}${rest} }
    jury: ${jury}
`
const polite = '{ type: every-turn, judge: { type: output-text, contains: please } }'

describe.concurrent('a conversation through the command', () => {
  test.each([
    ['messages', '[Hello, Goodbye]'],
    ['the script of the item', 'script'],
  ])('from YAML, with %s', async (_, user) => {
    using made = project({ 'jurist.config.yaml': yaml(user, polite), 'agent.mjs': agent })
    const { code, stdout } = await made.jurist('run')
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 decided')])
    expect(stdout).toContain('User fault 0 of 1 conversation (95 %')
    const shown = await made.jurist('show', 'latest', 'one')
    expect(shown.stdout).toContain('Conversation, ended by: satisfied')
    expect(shown.stdout).toMatch(/ 4 agent {2}You said Goodbye, please\./)
    const again = await made.jurist('rejudge', 'latest')
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/now +1 +0 +0 +100\.0 % of 1 decided/)])
  })

  test('from TypeScript: a user at fault leaves the trial undecided, and the command says so', async () => {
    using made = project({
      'jurist.config.ts': `import { defineConfig } from 'jurist'
import { type ConversationAgent, conversation } from 'jurist/conversation'
const clerk: ConversationAgent = () => 'Shall I cancel it?'
export default defineConfig({ experiments: { talk: {
  dataset: [{ id: 'one', task: 'talk' }],
  agent: conversation(clerk, { user: ['Cancel it.'] }),
  jury: () => false,
} } })
`,
    })
    const { stdout } = await made.jurist('run')
    expect(stdout).toContain('0 of 0 decided')
    expect(stdout).toContain('1 undecided: user at fault 1')
    expect(stdout).toContain('User fault 1 of 1 conversation')
    expect(stdout).toContain('stopped-early 1')
    const { stdout: json } = await made.jurist('show', 'latest', '--json')
    const { items, userFaults } = JSON.parse(json)
    expect(items[0]).toMatchObject({ passed: null, failure: { origin: 'user' }, user: { faults: [{ turn: 2 }] } })
    expect(userFaults).toMatchObject({ trials: 1, atFault: 1, byName: { 'stopped-early': 1 } })
  })

  test('a model that YAML names audits the user of each fail: a trial that the user spoilt is undecided', async () => {
    const found = '{"faults": [{"turn": 1, "fault": "revealed", "why": "it tells the PIN"}]}'
    await using server = await scriptedServer(() => ({ text: found }))
    using made = project({
      'agent.mjs': agent,
      'jurist.config.yaml': `models:
  auditor: { provider: openai-compatible, baseUrl: ${server.url}/v1, model: auditor-1 }
experiments:
  talk:
    dataset:
      - { id: passes, task: talk, metadata: { scenario: { goal: g, messages: [Goodbye] } } }
      - { id: fails, task: talk, metadata: { scenario: { goal: g, messages: [My PIN is 1234] } } }
    agent: { conversation: { module: ./agent.mjs }, user: script, audit: { model: auditor }, auditPassed: 0 }
    jury: { type: output-text, contains: Goodbye }
`,
    })
    const { code, stdout, stderr } = await made.jurist('run')
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('1 of 1 decided'), expect.any(String)])
    expect(stdout).toContain('1 undecided: user at fault 1')
    expect(stdout).toMatch(/User fault 1 of 2 conversations \(.*\): revealed 1; 1 not audited/)
    expect(server.requests.map(({ body }) => JSON.stringify(body))).toEqual([expect.stringContaining('My PIN is 1234')])
    expect((await made.jurist('show', 'latest', 'fails')).stdout).toContain('it tells the PIN')
  })

  test('a crash of the agent is its fail, with what was said before', async () => {
    using made = project({
      'jurist.config.yaml': yaml('[Hello, crash]', polite).replace(', messages: [Hello, Goodbye]', ''),
      'agent.mjs': agent,
    })
    const { code, stdout } = await made.jurist('run')
    expect([code, stdout]).toEqual([1, expect.stringContaining('0 of 1 decided')])
    expect((await made.jurist('show', 'latest', 'one')).stdout).toContain('3 user   crash')
  })

  test.each([
    ['no user', yaml('7', polite), '"user" must be a user or an array of messages (got 7)'],
    ['an unknown key', yaml('[a]', polite, ', turns: 3'), 'turns'],
    ['too few turns', yaml('[a, b]', polite, ', maxTurns: 1'), 'the script has 2 messages, and maxTurns is 1'],
    ['an unknown model', yaml('{ model: fats }', polite), 'unknown model "fats"'],
    ['an unknown judge', yaml('[a]', '{ type: every-turn, judge: { type: output-txt } }'), 'output-txt'],
    ['no judge', yaml('[a]', '{ type: every-turn }'), 'everyTurn'],
  ])('%s is refused with what to do', async (_, config, message) => {
    using made = project({ 'jurist.config.yaml': config, 'agent.mjs': agent })
    const { code, stderr } = await made.jurist('run')
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

test('a conversation that is killed in its seventh turn is held again from its beginning', async () => {
  using made = project({
    'jurist.config.mjs': `import { appendFileSync, existsSync } from 'node:fs'
import { defineConfig } from 'jurist'
import { conversation } from 'jurist/conversation'
const agent = ({ message }) => {
  appendFileSync('said.txt', message + '\\n')
  if (message.endsWith(' 7') && !existsSync('killed.txt')) {
    appendFileSync('killed.txt', '')
    process.kill(process.pid, 'SIGKILL')
  }
  return 'ok'
}
const user = Array.from({ length: 9 }, (_, index) => 'message ' + (index + 1))
export default defineConfig({ experiments: { talk: {
  dataset: [{ id: 'one', task: 'talk' }],
  agent: conversation(agent, { user }),
  jury: ({ turns }) => turns.length === 18,
} } })
`,
  })
  expect((await made.jurist('run')).code).not.toBe(0)
  const resumed = await made.jurist('run', '--resume')
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('1 of 1 decided')])
  const said = readFileSync(join(made.directory, 'said.txt'), 'utf8').trim().split('\n')
  expect(said).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `message ${number}`))
  const { items } = JSON.parse((await made.jurist('show', 'latest', '--json')).stdout)
  expect(items).toHaveLength(1)
  expect(items[0].detail.invocation.turns).toHaveLength(18)
  const journal = await made.jurist('show', 'latest', 'one', '--journal', '--json')
  expect(journal.stdout.match(/"message 1"/g)).toHaveLength(1)
})
