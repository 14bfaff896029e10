import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../../project.js'
import { description, evalsOf, greeting, modes, skill, study, twelve } from './study.js'

test('a skill that helps is said to help, at 60 columns, and its session can be shown', async () => {
  using made = study(twelve)
  const { code, stdout, stderr } = await made.juristWith(
    { COLUMNS: '60' },
    'lift',
    'mark',
    '--agent',
    'plain',
    '-o',
    'lift.md',
  )
  expect([code, stderr]).toEqual([0, expect.stringContaining('with: offered as')])
  expect(readFileSync(join(made.directory, 'lift.md'), 'utf8')).toMatch(
    /^### Does mark help\?\n\n```\narm [\s\S]+Helps\.[\s\S]+```\n$/,
  )
  expect(stdout).toMatch(/without {2}0\/36/)
  expect(stdout).toMatch(/with {5}36\/36/)
  expect(stdout).toMatch(/Helps\. \+100\.0 points on tasks like these/)
  expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([])
  const [, session = ''] = /show (\S+)/.exec(stdout) ?? []
  expect((await made.jurist('show', session)).stdout).toMatch(/without[\s\S]+with/)
  expect((await made.jurist('list', '--kind', 'lift')).stdout.match(/lift-mark/g)).toHaveLength(2)
  expect((await made.jurist('show', 'latest')).code).toBe(2)
})

test('the gates: hurts, not-helps, and what each of them lets through', async () => {
  using made = study(twelve.slice(0, 10), modes('plain', 'backwards', 'alike'))
  const ran = async (name: string, ...words: readonly string[]) => {
    const { code, stdout } = await made.jurist('lift', 'mark', '--agent', name, '--repeat', '1', '--json', ...words)
    return [code, JSON.parse(stdout).conclusion]
  }
  expect(await ran('backwards')).toEqual([1, 'hurts'])
  expect(await ran('backwards', '--fail-on', 'nothing')).toEqual([0, 'hurts'])
  expect(await ran('alike')).toEqual([0, 'not-shown'])
  expect(await ran('alike', '--fail-on', 'not-helps')).toEqual([1, 'not-shown'])
  expect(await ran('plain', '--fail-on', 'not-helps')).toEqual([0, 'helps'])
  // A cost that is unknown meets no limit.
  expect(await ran('plain', '--max-cost-ratio', '1.2')).toEqual([1, 'helps'])
})

test('few evals speak of themselves alone', async () => {
  using made = study(twelve.slice(0, 3))
  const { code, stdout, stderr } = await made.jurist('lift', 'mark', '--agent', 'plain')
  expect(stderr).toContain('nothing can be said with fewer than 10')
  expect([code, stdout]).toEqual([0, expect.stringContaining('on these 3 tasks, exact test within items')])
})

test('an agent that cannot be checked is used only if that is accepted, and each report says so', async () => {
  using made = study(twelve, modes('silent', 'warm-up'))
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', 'silent', '--unproven', '--repeat', '1')
  expect([code, stdout]).toEqual([0, expect.stringContaining('Unproven: nothing shows')])
  const checked = await made.jurist('lift', 'mark', '--agent', 'warm-up', '--check', '--json')
  expect(JSON.parse(checked.stdout).loading).toEqual({
    proof: 'request',
    requests: { without: 2, with: 2 },
    program: null,
  })
})

test('a trial whose journal shows another arm decides nothing', async () => {
  const liar = `
    import { existsSync } from 'node:fs'
    import { join } from 'node:path'
    export const agent = async ({ env, record }) => {
      const isWith = existsSync(join(env.HOME, '.agents/skills/mark'))
      const url = env.OPENAI_BASE_URL
      if (url) await fetch(url, { method: 'POST', body: JSON.stringify({ system: isWith ? ${JSON.stringify(description)} : '' }) })
      record({ type: 'custom', name: 'claude.init', data: { skills: url && isWith ? ['mark'] : [] } })
      return { status: 'completed', output: { type: 'text', text: 'Hello. ~mark~' } }
    }
  `
  using made = project({
    'agent.mjs': liar,
    'jurist.config.yaml': 'agents:\n  liar: { module: ./agent.mjs, export: agent }\n',
    ...skill,
    ...evalsOf(greeting(1)),
  })
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', 'liar', '--repeat', '1', '--json')
  const { with: arm, without, headline } = JSON.parse(stdout)
  expect([code, arm.trials, arm.decided, without.decided]).toEqual([3, 1, 0, 1])
  expect(headline).toContain('Nothing is decided')
})

test('which judge each assertion gets, without running anything', async () => {
  const assertions = [
    'The output does not contain "Bye"',
    'The output is valid JSON.',
    'Creates a file named `out.csv`',
    'The file "out.csv" contains "Ada"',
    'Does not create "out.txt"',
    'The output contains "Ada" in a friendly sentence',
    { id: 'x', text: 'Names the guest', type: 'semantic', check: { type: 'output-text', matches: 'Ada' } },
    'Routes to references/marks.md',
    'Uses the mark skill',
  ]
  using made = study([greeting(1, { assertions })])
  const { code, stdout } = await made.jurist('lift', 'mark', '--explain-assertions', '--json')
  const rows = JSON.parse(stdout).assertions as readonly { by: string; judge: unknown; isObedience: boolean }[]
  expect([code, rows.map(({ by }) => by)]).toEqual([
    0,
    [...Array(5).fill('rule'), 'nothing', 'rule', 'nothing', 'nothing'],
  ])
  expect(rows.map(({ judge }) => judge).slice(0, 5)).toEqual([
    { type: 'not', judge: { type: 'output-text', contains: 'Bye' } },
    { type: 'output-json' },
    { type: 'file-exists', path: 'out.csv' },
    { type: 'file-content', path: 'out.csv', contains: 'Ada' },
    { type: 'not', judge: { type: 'file-exists', path: 'out.txt' } },
  ])
  expect(rows.map(({ isObedience }) => isObedience)).toEqual([...Array(7).fill(false), true, true])
})

test('evals that cannot be asked of both arms, or not judged, are left out and counted', async () => {
  using made = study([
    greeting(1),
    greeting(2, { prompt: '/mark the guests' }),
    greeting(3, { assertions: ['It is friendly'] }),
    greeting(4, { assertions: ['The output contains "~mark~"', 'It is friendly'], colour: 'red' }),
  ])
  const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'plain', '--repeat', '1')
  expect(code).toBe(0)
  for (const line of [
    '2 evals of 4, 2 of 5 assertions judged.',
    'cannot be asked to call it: 1 eval.',
    'not used: colour',
  ])
    expect(stderr).toContain(line)
})

test.each([
  ['a list of evals alone', [greeting(1)]],
  ['cases, with text ids', { cases: [{ ...greeting(1), id: 'A one' }] }],
  ['expectations', { evals: [{ id: 1, prompt: 'Greet.', expectations: ['The output contains "~mark~"'] }] }],
])('evals are read in every public form: %s', async (_, evals) => {
  using made = study([])
  made.write({ 'mark/evals/evals.json': `\uFEFF${JSON.stringify(evals)}` })
  const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'plain', '--repeat', '1')
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 eval of 1, 1 of 1 assertion judged.')])
})

test.each([
  ['no SKILL.md', { 'mark/SKILL.md': null }, 'has no SKILL.md'],
  ['no front matter', { 'mark/SKILL.md': '# Mark' }, 'SKILL.md:1: there is no front matter'],
  ['no description', { 'mark/SKILL.md': '---\nname: mark\n---\n' }, '"description" is missing'],
  ['no YAML', { 'mark/SKILL.md': '---\nname: [\n---\n' }, 'is not YAML'],
  ['a name that leaves', { 'mark/SKILL.md': '---\nname: ../x\ndescription: x\n---\n' }, 'must be 1 to 64'],
  ['broken JSON', { 'mark/evals/evals.json': '{' }, 'is not JSON'],
  ['no evals', { 'mark/evals/evals.json': '{}' }, 'must be a non-empty array'],
  ['ids twice and no prompt', evalsOf(greeting(1), greeting(1, { prompt: 3 })), 'evals[1].id: 1 occurs twice'],
  ['a file that is missing', evalsOf(greeting(1, { files: ['evals/files/none.csv'] })), 'none.csv does not exist'],
  ['a file outside', evalsOf(greeting(1, { files: ['../agent.mjs'] })), '../agent.mjs leaves the skill'],
])('bad input is refused by name, and nothing runs: %s', async (_, files, message) => {
  using made = study([greeting(1)])
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(made.directory, path))
    else made.write({ [path]: text })
  }
  const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'plain')
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
